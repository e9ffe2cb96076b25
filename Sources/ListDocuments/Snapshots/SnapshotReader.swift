import ListModel

/// What a snapshot file held.
public struct ReadSnapshot: Sendable {
  public let snapshot: Snapshot
  public let format: SnapshotOptions.Format
  /// The items that the duplicate policy left out; 0 where it refuses.
  public let leftOutCount: Int
}

/// Reads a snapshot file: a JSON array, an object that holds one, NDJSON or CSV. The order of the
/// file is the order of the list.
public struct SnapshotReader: Sendable {
  private let options: SnapshotOptions
  private let partByteCount: Int
  private let onProgress: @Sendable (_ byteCount: Int) -> Void

  /// - Parameter onProgress: called now and then with the number of bytes read so far.
  public init(
    options: SnapshotOptions, onProgress: @escaping @Sendable (_ byteCount: Int) -> Void = { _ in }
  ) {
    self.init(
      options: options, partByteCount: PartedItemReader.standardPartByteCount,
      onProgress: onProgress)
  }

  /// - Parameter partByteCount: how many bytes of a JSON file are read in one go; longer files are
  ///   read in parts of that size on all cores.
  package init(
    options: SnapshotOptions, partByteCount: Int,
    onProgress: @escaping @Sendable (_ byteCount: Int) -> Void = { _ in }
  ) {
    self.options = options
    self.partByteCount = partByteCount
    self.onProgress = onProgress
  }

  /// - Parameter fileName: the name of the file, whose ending may tell the format; nil for a
  ///   stream.
  /// - Throws: `SnapshotError`, which says where the input breaks which rule.
  /// - Complexity: O(bytes); memory for the items and no second copy of the text.
  public func read(
    _ bytes: [UInt8], fileName: String? = nil
  ) throws(SnapshotError) -> ReadSnapshot {
    let items = PartedItemReader(bytes, options, partByteCount: partByteCount)
    return try read(bytes, fileName: fileName, itemReader: .inParts(items))
  }

  func read(
    _ bytes: [UInt8], fileName: String?, itemReader: ItemReader
  ) throws(SnapshotError) -> ReadSnapshot {
    let sniffer = SnapshotSniffer(bytes: bytes, fileName: fileName)
    guard sniffer.firstByte != nil else { throw .emptyInput }
    let format = options.format ?? sniffer.format(hasItemsPointer: options.items != nil)
    var assembler = SnapshotAssembler(options: options, bytes: bytes, onProgress: onProgress)
    switch format {
    case .json:
      try JSONSnapshot(bytes, options, itemReader: itemReader).forEachItem {
        item throws(JSONError) in try assembler.add(item)
      }
    case .ndjson:
      try NDJSONSnapshot(bytes, options.limits, itemReader: itemReader).forEachItem {
        item throws(JSONError) in try assembler.add(item)
      }
    case .csv:
      let separator = options.separator ?? sniffer.separator
      var table = try CSVSnapshot(
        bytes, separator: separator, options, recaller: itemReader.recaller)
      try table.forEachItem { item throws(JSONError) in try assembler.add(item) }
    }
    return try assembler.finish(format: format)
  }
}
