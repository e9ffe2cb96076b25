import ListModel

/// A name that was given to a version.
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

/// What one pruning took, and on whose behalf.
public struct PruneRecord: Hashable, Sendable {
  /// The versions from this one …
  public let oldOldest: Version
  /// … to the one before this went.
  public let newOldest: Version
  public let prunedAt: Timestamp
  public let author: String?
  /// What was to be kept, as the request said it.
  public let rule: String
  /// That of the new oldest version.
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

  /// The newest of the versions that went.
  public var lastPruned: Version { Version(newOldest.number - 1) }
}
