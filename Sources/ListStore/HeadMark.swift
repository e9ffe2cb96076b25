/// A place in the order in which the lists of a store change: a reading at this place saw all
/// changes before it.
public struct HeadMark: Equatable, Sendable {
  /// How many changes each counter of the store has counted.
  public let counts: [Int64: Int64]
  /// Changes when the store's content may have been replaced by that of another store.
  public let origin: Int64

  public init(counts: [Int64: Int64], origin: Int64) {
    (self.counts, self.origin) = (counts, origin)
  }
}

/// What changed in a store after a mark.
public struct ChangedLists: Equatable, Sendable {
  /// The lists that were created, renamed or dropped, or got another head, oldest version, id rule
  /// or title.
  public let keys: [ListKey]
  /// Whether tokens or former lists were recorded.
  public let includesOthers: Bool

  /// - Parameter numbers: of lists; 0 for tokens and former lists.
  public init(_ numbers: Set<Int64>) {
    keys = numbers.subtracting([0]).sorted().map(ListKey.init)
    includesOthers = numbers.contains(0)
  }
}
