/// How many bytes and rows a store, or one list of it, takes.
public struct StoreSize: Equatable, Sendable {
  /// What the bytes are for.
  public enum Part: CaseIterable, Sendable {
    case changes
    /// The index from ids to items.
    case idIndex
    /// The index from items to their later changes.
    case itemIndex
    case versions
    /// The newest version in order.
    case headOrder
    case checkpoints
    case keptChanges
    /// Lists, tags, prunes, imports, tokens and the schema.
    case other
    /// Pages that are free to be used again.
    case free
    /// The write-ahead log, a file of its own.
    case writeAheadLog
  }

  public let byteCounts: [Part: Int]
  /// Whether the bytes were worked out from the lengths of what is stored, not counted in pages.
  public let isEstimate: Bool
  public let listCount: Int
  public let versionCount: Int
  public let changeCount: Int
  public let checkpointCount: Int
  public let keptChangesCount: Int

  package init(
    byteCounts: [Part: Int], isEstimate: Bool, listCount: Int, versionCount: Int, changeCount: Int,
    checkpointCount: Int, keptChangesCount: Int
  ) {
    self.byteCounts = byteCounts
    self.isEstimate = isEstimate
    self.listCount = listCount
    self.versionCount = versionCount
    self.changeCount = changeCount
    self.checkpointCount = checkpointCount
    self.keptChangesCount = keptChangesCount
  }

  public var byteCount: Int { byteCounts.values.reduce(0, +) }
}
