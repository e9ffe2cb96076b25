/// A law that lists break, in words.
struct BrokenLaw: Error, CustomStringConvertible {
  let description: String
}

/// Throws if a law is broken. So the checks stop at the first broken law, and can run again with
/// fewer items until the lists are small enough to read.
func law(_ words: @autoclosure () -> String, _ isKept: @autoclosure () throws -> Bool) throws {
  guard try isKept() else { throw BrokenLaw(description: words()) }
}

/// The law that a check finds broken; nil if all hold.
func broken(_ check: () throws -> Void) -> String? {
  do {
    try check()
    return nil
  } catch {
    return "\(error)"
  }
}

/// The same for laws that wait for the main actor.
func brokenLaw(_ check: () async throws -> Void) async -> String? {
  do {
    try await check()
    return nil
  } catch {
    return "\(error)"
  }
}
