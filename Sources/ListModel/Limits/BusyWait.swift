/// How long a program waits for another one's write to a store, as the environment sets it.
public enum BusyWait {
  public static let variable = "LISTSYNC_WAIT"
  public static let standardSeconds = 10
  public static let highestSeconds = 86_400

  /// - Throws: `InvalidWait` when the variable is no number of seconds.
  public static func seconds(environment: [String: String]) throws(InvalidWait) -> Int {
    guard let text = environment[variable] else { return standardSeconds }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Int(text),
      seconds <= highestSeconds
    else { throw InvalidWait(text: text) }
    return seconds
  }
}

/// Thrown when `LISTSYNC_WAIT` is no number of seconds.
public struct InvalidWait: Error, Equatable, Sendable, CustomStringConvertible {
  public let text: String

  public var description: String {
    """
    \(BusyWait.variable) is '\(text)', not a whole number of seconds from 0 to \
    \(BusyWait.highestSeconds)
    """
  }
}
