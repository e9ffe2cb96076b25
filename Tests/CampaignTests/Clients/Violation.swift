/// A broken law of a campaign.
struct Violation: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// - Throws: `Violation` when the condition does not hold.
func require(_ condition: Bool, _ description: @autoclosure () -> String) throws {
  if !condition { throw Violation(description()) }
}
