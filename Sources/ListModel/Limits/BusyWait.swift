/// How long a program waits for another one's write to a store, from the environment.
public enum BusyWait {
  public static let variable = "LISTSYNC_WAIT"
  public static let standardSeconds = 10
  public static let highestSeconds = 86_400

  public static func seconds(environment: [String: String]) throws(InvalidSetting) -> Int {
    try environment.number(
      variable, standard: standardSeconds, in: 0...highestSeconds, "a whole number of seconds")
  }
}

/// Thrown when an environment variable does not hold a number that its setting allows.
public struct InvalidSetting: Error, Equatable, Sendable, CustomStringConvertible {
  public let variable: String
  public let text: String
  /// The value when the variable is not set.
  public let standard: Int
  /// Such as `a whole number from 1 to 512`.
  let expected: String

  public var description: String { "\(variable) is '\(text)', not \(expected)" }
}

extension [String: String] {
  /// The number in a variable of an environment.
  func number(
    _ variable: String, standard: Int, in range: ClosedRange<Int>, _ kind: String = "a whole number"
  ) throws(InvalidSetting) -> Int {
    guard let text = self[variable] else { return standard }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(text),
      range.contains(value)
    else {
      throw InvalidSetting(
        variable: variable, text: text, standard: standard,
        expected: "\(kind) from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }
}
