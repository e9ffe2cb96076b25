/// The values of all limits. They apply to input only: data stored under higher limits is still
/// read, shown and verified.
public struct Limits: Equatable, Sendable {
  private var values: [Limit: Int] = [:]

  public static let standard = Limits()

  /// For data from a store: nothing is too large, except nesting, which no store has deeper.
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

  /// Reads the variables of limits; limits whose variable is not set have their standard values.
  public init(environment: [String: String]) throws(InvalidSetting) {
    for limit in Limit.allCases where environment[limit.variable] != nil {
      self[limit] = try environment.number(
        limit.variable, standard: limit.standard, in: 1...limit.highest)
    }
  }

  /// - Throws: `ExceededLimit` when `found` is greater than the limit.
  public func check(_ found: Int, _ limit: Limit) throws(ExceededLimit) {
    let bound = self[limit]
    if found > bound { throw ExceededLimit(limit, bound: bound, found: found) }
  }

  /// Checks an item on its own.
  public func check(_ item: Item) throws(ExceededLimit) {
    try check(idByteCount: item.id.text.utf8.count, contentByteCount: item.content.bytes.count)
  }

  fileprivate func check(idByteCount: Int, contentByteCount: Int) throws(ExceededLimit) {
    try check(idByteCount, .idBytes)
    try check(contentByteCount, .itemBytes)
  }
}

/// Counts the items of one commit against the limits.
public struct CommitSize: Sendable {
  private let limits: Limits
  private var byteCount = 0

  public init(_ limits: Limits) { self.limits = limits }

  /// Counts an item, or another id with content.
  ///
  /// - Throws: `ExceededLimit` for the item, or for all counted items together.
  public mutating func add(_ item: Item) throws(ExceededLimit) {
    try add(idByteCount: item.id.text.utf8.count, contentByteCount: item.content.bytes.count)
  }

  package mutating func add(idByteCount: Int, contentByteCount: Int) throws(ExceededLimit) {
    try limits.check(idByteCount: idByteCount, contentByteCount: contentByteCount)
    // No overflow: each is an array's size, and the sum is checked each time.
    byteCount += idByteCount + contentByteCount
    if byteCount > limits[.commitBytes] {
      throw ExceededLimit(.commitBytes, bound: limits[.commitBytes])
    }
  }
}
