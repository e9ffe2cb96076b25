/// The number of bytes and rows of a store, or of one list in it.
public struct StoreSize: Equatable, Sendable {
  /// A kind of data to which bytes are counted.
  public enum Part: CaseIterable, Sendable {
    /// Segments and their blocks.
    case changes
    /// The index from ids to items.
    case idIndex
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

  public var byteCounts: [Part: Int]
  /// Whether the bytes are estimated from lengths, not counted in pages.
  public var isEstimate: Bool
  public var listCount = 0
  public var versionCount = 0
  public var changeCount = 0
  public var checkpointCount = 0
  public var keptChangesCount = 0

  public init(byteCounts: [Part: Int], isEstimate: Bool) {
    self.byteCounts = byteCounts
    self.isEstimate = isEstimate
  }

  public var byteCount: Int { byteCounts.values.reduce(0, +) }
}
