import ListChanges

/// A version of a list and the changes that led to it from the version before.
public struct BundleStep: Equatable, Sendable {
  /// Its counts, of items and of changes, are those of `changes`.
  public let record: VersionRecord
  public let changes: BareChanges

  package init(
    version: Version, note: CommitNote, checksum: Checksum, chain: Chain, changes: BareChanges
  ) {
    record = VersionRecord(
      version: version, note: note, count: changes.newCount, changes: changes.counts,
      checksum: checksum, chain: chain)
    self.changes = changes
  }

  public init(_ record: VersionRecord, changes: BareChanges) {
    self.init(
      version: record.version, note: record.note, checksum: record.checksum, chain: record.chain,
      changes: changes)
  }

  /// - Precondition: Every move of the step has its id.
  public init(_ record: VersionRecord, changes: ChangeSet<Item>) {
    self.init(record, changes: BareChanges(changes))
  }
}
