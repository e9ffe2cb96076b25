import ListModel

/// Reads the versions of one file, one after the other, as a history keeps them.
///
/// It gives what ``SnapshotReader`` gives. An item whose bytes are those it had in the file before is taken over instead of read, and shares its content.
public struct SnapshotSeriesReader: Sendable {
  private let options: SnapshotOptions
  private var known = KnownItems(bytes: [])
  /// How many items of the last file were taken over from the one before.
  package private(set) var recalledCount = 0

  public init(options: SnapshotOptions) { self.options = options }

  /// Reads the next version of the file; one that is refused changes nothing.
  ///
  /// - Parameter fileName: as in ``SnapshotReader/read(_:fileName:)``.
  /// - Throws: `SnapshotError`, which says where the input breaks which rule.
  /// - Complexity: O(bytes), of which those of items taken over are compared only; memory for the
  ///   items and the bytes of one version.
  public mutating func read(
    _ bytes: [UInt8], fileName: String? = nil
  ) throws(SnapshotError) -> ReadSnapshot {
    let recaller = ItemRecaller(bytes, known: known)
    let items = RecallingItemReader(bytes, idRule: options.idRule, recaller: recaller)
    let result = try SnapshotReader(options: options)
      .read(bytes, fileName: fileName, itemReader: .recalling(items))
    (known, recalledCount) = (recaller.read, recaller.recalledCount)
    return result
  }
}
