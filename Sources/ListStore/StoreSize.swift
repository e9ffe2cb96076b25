/// The number of bytes and rows of a store, or of one list in it.
public struct StoreSize: Equatable, Sendable {
  /// The use of bytes.
  public enum Part: CaseIterable, Sendable {
    case changes
    /// The index from ids to items.
    case idIndex
    /// The index from items to their later changes.
    case itemIndex
    case versions
    /// The order of the head.
    case headOrder
    case checkpoints
    case keptChanges
    /// Lists, tags, prunes, imports, tokens and the schema.
    case other
    /// Unused pages.
    case free
    /// The write-ahead log, a separate file.
    case writeAheadLog
  }

  public let byteCounts: [Part: Int]
  /// Whether the bytes are estimated from lengths, not counted in pages.
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
