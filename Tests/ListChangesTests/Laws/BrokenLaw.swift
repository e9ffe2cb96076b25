/// A law that lists break, in words.
struct BrokenLaw: Error, CustomStringConvertible {
  let description: String
}

/// Holds a law; so the checks of laws stop at the first that is broken, and can be asked again with
/// fewer items until the lists are small enough to be read.
func law(_ words: @autoclosure () -> String, _ isKept: @autoclosure () throws -> Bool) throws {
  guard try isKept() else { throw BrokenLaw(description: words()) }
}

/// What a check of laws finds broken; nil where all are kept.
func broken(_ check: () throws -> Void) -> String? {
  do {
    try check()
    return nil
  } catch {
    return "\(error)"
  }
}
