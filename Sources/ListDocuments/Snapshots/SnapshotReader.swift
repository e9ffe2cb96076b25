import ListModel

/// The content of a snapshot file.
public struct ReadSnapshot: Sendable {
  public let snapshot: Snapshot
  public let format: SnapshotOptions.Format
  /// The number of items that the duplicate policy left out; 0 with `.refuse`.
  public let leftOutCount: Int
  /// Accepted faults of a table, for a person to know.
  public let notices: ReadingNotices
}

/// Reads a snapshot file: a JSON array, an object with an array, NDJSON or CSV. The order of the
/// file is the order of the list.
public struct SnapshotReader: Sendable {
  let options: SnapshotOptions
  let onProgress: @Sendable (_ byteCount: Int) -> Void
  /// The size of chunks, in which longer JSON files are read on all cores.
  package var chunkByteCount = ItemReader.standardChunkByteCount

  /// - Parameters:
  ///   - options: the format of the file, and where its items and ids are.
  ///   - onProgress: called from time to time with the number of bytes read so far.
  public init(
    options: SnapshotOptions, onProgress: @escaping @Sendable (_ byteCount: Int) -> Void = { _ in }
  ) {
    self.options = options
    self.onProgress = onProgress
  }

  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - fileName: the name of the file, whose ending can determine the format; nil for a stream.
  /// - Throws: `SnapshotError`, with the position and the broken rule.
  /// - Complexity: O(bytes); memory for the items, without a second copy of the text.
  public func read(
    _ bytes: [UInt8], fileName: String? = nil
  ) throws(SnapshotError) -> ReadSnapshot {
    try read(bytes, fileName: fileName, recaller: nil)
  }

  /// - Parameter recaller: the known items of an earlier version of the file, if there is one.
  func read(
    _ bytes: [UInt8], fileName: String?, recaller: ItemRecaller?
  ) throws(SnapshotError) -> ReadSnapshot {
    let sniffer = SnapshotSniffer(bytes: bytes, fileName: fileName)
    guard sniffer.firstByte != nil else { throw .emptyInput }
    guard !sniffer.isGzip else { throw .gzip }
    guard !sniffer.isUTF16 else { throw .utf16 }
    let format = format(of: bytes, fileName)
    let reader = ItemReader(
      bytes: bytes, options: options, chunkByteCount: chunkByteCount, recaller: recaller)
    var assembler = SnapshotAssembler(options: options, bytes: bytes, onProgress: onProgress)
    var notices = ReadingNotices()
    func add(_ item: ReadItem) throws(JSONError) { try assembler.add(item) }
    switch format {
    case .json: try JSONSnapshot(reader).forEachItem(add)
    case .ndjson: try reader.forEachLine(add)
    case .csv:
      var table = try CSVSnapshot(
        bytes, separator: options.separator ?? sniffer.separator, options, recaller: recaller)
      try table.forEachItem(add)
      notices = table.notices
    }
    return try assembler.finish(format: format, notices)
  }

  func format(of bytes: [UInt8], _ fileName: String?) -> SnapshotOptions.Format {
    options.format
      ?? SnapshotSniffer(bytes: bytes, fileName: fileName)
      .format(hasItemsPointer: options.items != nil)
  }
}

/// Reads successive versions of one file.
///
/// The result is that of ``SnapshotReader``. An item whose bytes equal those in the version before
/// is not read again, and shares its content.
public struct SnapshotSeriesReader: Sendable {
  private let options: SnapshotOptions
  private var known = KnownItems(bytes: [])
  /// The number of items of the last file that were not read again.
  package private(set) var recalledCount = 0

  public init(options: SnapshotOptions) { self.options = options }

  /// Reads the next version of the file; an error changes nothing.
  ///
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - fileName: as in ``SnapshotReader/read(_:fileName:)``.
  /// - Throws: `SnapshotError`, with the position and the broken rule.
  /// - Complexity: O(bytes), where known items are only compared; memory for the items and the
  ///   bytes of one version.
  public mutating func read(
    _ bytes: [UInt8], fileName: String? = nil
  ) throws(SnapshotError) -> ReadSnapshot {
    let recaller = ItemRecaller(bytes, known: known)
    let result = try SnapshotReader(options: options)
      .read(bytes, fileName: fileName, recaller: recaller)
    (known, recalledCount) = (recaller.read, recaller.recalledCount)
    return result
  }
}
