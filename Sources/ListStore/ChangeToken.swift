/// A position in the order in which the lists of a store change. A reading with this mark saw all
/// changes before it.
public struct ChangeToken: Equatable, Sendable {
  /// The number of changes that each counter of the store has counted.
  public let counts: [Int64: Int64]
  /// A number that changes when the store's content may have been replaced by that of another
  /// store.
  public let origin: Int64

  public init(counts: [Int64: Int64], origin: Int64) {
    (self.counts, self.origin) = (counts, origin)
  }
}

/// The keys of the lists that changed in a store after a mark.
public struct ChangedKeys: Equatable, Sendable {
  /// The lists that were created, renamed or dropped, or got another head, oldest version, id rule
  /// or title.
  public let keys: [ListKey]
  /// Whether tokens or retired lists were recorded.
  public let includesOthers: Bool

  /// - Parameter numbers: the keys of the changed lists; 0 stands for tokens and retired lists.
  public init(_ numbers: Set<Int64>) {
    keys = numbers.subtracting([0]).sorted().map(ListKey.init)
    includesOthers = numbers.contains(0)
  }
}
