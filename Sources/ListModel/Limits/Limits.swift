/// The values of all limits.
///
/// They hold where something comes in, and nowhere else: what was stored under higher ones is read,
/// shown and verified as ever.
public struct Limits: Equatable, Sendable {
  private var values: [Limit: Int] = [:]

  public static let standard = Limits()

  /// For what a store already holds: nothing is too large, and nothing deeper than the highest
  /// nesting was ever stored.
  public static let none = {
    var limits = Limits()
    for limit in Limit.allCases where limit != .depth { limits.values[limit] = .max }
    return limits
  }()

  private init() {}

  /// - Precondition: A new value is 1 to the limit's highest.
  public subscript(limit: Limit) -> Int {
    get { values[limit] ?? limit.standard }
    set {
      precondition((1...limit.highest).contains(newValue), "\(limit.rawValue): 1 to its highest")
      values[limit] = newValue
    }
  }

  /// Reads what is set by the variables of limits; the others have their standard values.
  public init(environment: [String: String]) throws(InvalidLimit) {
    for limit in Limit.allCases {
      guard let text = environment[limit.variable] else { continue }
      guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(text),
        (1...limit.highest).contains(value)
      else { throw InvalidLimit(limit: limit, text: text) }
      self[limit] = value
    }
  }

  /// - Throws: `ExceededLimit` when there is more than a limit allows.
  public func check(_ found: Int, _ limit: Limit) throws(ExceededLimit) {
    let bound = self[limit]
    if found > bound { throw ExceededLimit(limit, bound: bound, found: found) }
  }

  /// Checks an item on its own.
  public func check(_ item: Item) throws(ExceededLimit) {
    try check(item.id.text.utf8.count, .idBytes)
    try check(item.content.bytes.count, .itemBytes)
  }
}

/// Thrown when a variable does not hold a value that its limit can have.
public struct InvalidLimit: Error, Equatable, Sendable, CustomStringConvertible {
  public let limit: Limit
  public let text: String

  public init(limit: Limit, text: String) {
    self.limit = limit
    self.text = text
  }

  public var description: String {
    "\(limit.variable) is '\(text)', not a whole number from 1 to \(limit.highest)"
  }
}

/// The items of one commit against the limits.
public struct CommitSize: Sendable {
  private let limits: Limits
  private var byteCount = 0

  public init(_ limits: Limits) { self.limits = limits }

  /// Counts an item, or what else of its id and content comes in.
  ///
  /// - Throws: `ExceededLimit` for the item, or for all that were counted together.
  public mutating func add(_ item: Item) throws(ExceededLimit) {
    try limits.check(item)
    // No overflow: each is an array's size, and the sum is checked before it grows on.
    byteCount += item.id.text.utf8.count + item.content.bytes.count
    if byteCount > limits[.commitBytes] {
      throw ExceededLimit(.commitBytes, bound: limits[.commitBytes])
    }
  }
}
