import ListModel
import ListStore

/// One state of an external source, to be imported into a list.
public struct ImportedState: Sendable {
  public enum Content: Sendable {
    case version(Snapshot, CommitNote)
    /// The state equals the one before.
    case unchanged
    /// The state is no version; the source has reported why.
    case skipped
  }

  /// The position of this state in the source, in a form that the source defines.
  public let position: String
  public let content: Content
  /// The number of bytes that the source read for it.
  public let byteCount: Int

  public init(position: String, content: Content, byteCount: Int = 0) {
    self.position = position
    self.content = content
    self.byteCount = byteCount
  }
}

/// A source of states, oldest first.
public protocol ImportSource {
  /// The next state; nil at the end.
  mutating func next() throws -> ImportedState?
}

/// The number of states that an import has processed, by their result.
public struct ImportTally: Equatable, Sendable {
  public var versionCount = 0
  /// Those that equal the state before.
  public var unchangedCount = 0
  public var skippedCount = 0
  public var largeRemovals: [LargeRemoval] = []

  public init() {}

  public var stateCount: Int { versionCount + unchangedCount + skippedCount }

  mutating func add(_ other: ImportTally) {
    versionCount += other.versionCount
    unchangedCount += other.unchangedCount
    skippedCount += other.skippedCount
  }
}

/// An imported version that removes so many items that its source may have come back short.
public struct LargeRemoval: Equatable, Sendable {
  /// The position of the state in the source.
  public let position: String
  public let version: VersionRecord
  /// The number of items before.
  public let oldCount: Int

  package init(position: String, version: VersionRecord, oldCount: Int) {
    (self.position, self.version, self.oldCount) = (position, version, oldCount)
  }
}

/// The upper limits of one transaction. An import that is interrupted loses one or two of them;
/// each transaction costs one flush to the disk.
public struct ImportLimits: Sendable {
  public var stateCount = 64
  public var byteCount = 16 << 20
  public var duration = Duration.milliseconds(250)

  public init() {}
}

/// An import of a source into a list.
public struct ImportRequest: Sendable {
  public let list: ListName
  /// The name under which the list stores the position of the import.
  public let source: String
  /// The result of ``SyncService/importPosition(of:in:)``, after which the states follow.
  public var position: String?
  /// Whether the states may follow versions that were not imported but committed or applied.
  public var goesOnFromVersions = false
  /// The rule by which ids were found in the source. The list stores it; nil keeps the rule that
  /// the list has.
  public var idRule: String?
  public var limits = ImportLimits()

  public init(list: ListName, source: String, after position: String? = nil) {
    self.list = list
    self.source = source
    self.position = position
  }
}
