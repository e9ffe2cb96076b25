/// How many items of a list one snapshot or delta may change in one way, so that a source that came
/// back short does not empty the list, and a tool does not rewrite it.
public enum ChangeLimit: Hashable, Sendable, CustomStringConvertible {
  case unlimited
  case count(Int)
  /// Of the items of the version before, 0 to 100.
  case percent(Int)

  public static let rule = "a number such as 100, a percentage such as 20%, or none"

  /// Nil when the text breaks the rule.
  public init?(_ text: String) {
    let digits = text.hasSuffix("%") ? text.dropLast() : text[...]
    let number = digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(digits) : nil
    switch number {
    case nil where text == "none": self = .unlimited
    case let number? where digits.endIndex == text.endIndex: self = .count(number)
    case let number? where number <= 100: self = .percent(number)
    default: return nil
    }
  }

  /// The most items that may change in a list of `count` items.
  public func highest(of count: Int) -> Int {
    switch self {
    case .unlimited: count
    case .count(let number): number
    // The product of both could be too large for an Int.
    case .percent(let percent): count / 100 * percent + count % 100 * percent / 100
    }
  }

  /// `20` or `20%`; nil for any number.
  public var text: String? {
    switch self {
    case .unlimited: nil
    case .count(let number): "\(number)"
    case .percent(let percent): "\(percent)%"
    }
  }

  public var description: String { text ?? "none" }
}

/// A kind of change that a list can limit.
public enum LimitedChange: String, CaseIterable, Sendable {
  case removed
  case updated
}

/// The limits of a list, one for each kind of change.
public struct ChangeLimits: Hashable, Sendable {
  private var values: [LimitedChange: ChangeLimit] = [:]

  public static let none = ChangeLimits()

  public subscript(kind: LimitedChange) -> ChangeLimit {
    get { values[kind] ?? .unlimited }
    set { values[kind] = newValue == .unlimited ? nil : newValue }
  }

  /// The limits after a request that gives some of them.
  public func setting(_ given: [LimitedChange: ChangeLimit]) -> ChangeLimits {
    var limits = self
    for (kind, limit) in given { limits[kind] = limit }
    return limits
  }
}
