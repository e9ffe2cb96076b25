import ListModel

/// A name for a version.
public struct TagRecord: Hashable, Sendable {
  public let name: TagName
  public let version: Version
  public let taggedAt: Timestamp

  public init(name: TagName, version: Version, taggedAt: Timestamp) {
    self.name = name
    self.version = version
    self.taggedAt = taggedAt
  }
}

/// The record of one pruning.
public struct PruneRecord: Hashable, Sendable {
  /// The first version that was pruned.
  public let oldOldest: Version
  /// The first version that was kept.
  public let newOldest: Version
  public let prunedAt: Timestamp
  public let author: String?
  /// The retention rule, as the request gave it.
  public let rule: String
  /// The chain of the new oldest version.
  public let chain: Chain

  public init(
    oldOldest: Version, newOldest: Version, prunedAt: Timestamp, author: String?, rule: String,
    chain: Chain
  ) {
    self.oldOldest = oldOldest
    self.newOldest = newOldest
    self.prunedAt = prunedAt
    self.author = author
    self.rule = rule
    self.chain = chain
  }

  /// The last version that was pruned.
  public var lastPruned: Version { Version(newOldest.number - 1) }
}
