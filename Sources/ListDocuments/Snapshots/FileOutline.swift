import ListChanges
import ListModel

extension SnapshotReader {
  /// A shorter file is read whole.
  private var leastOutlinedByteCount: Int { 8 * chunkByteCount }

  /// The outline of a snapshot file, for the next version of a list.
  ///
  /// Of a long file, only the bytes and the places of its groups are kept: a commit reads the
  /// groups again that it needs. So it takes little more memory than the file.
  ///
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - fileName: as in ``read(_:fileName:)``.
  /// - Returns: the outline, the number of items that the duplicate policy left out, and the
  ///   notices of ``ReadSnapshot``.
  /// - Throws: `SnapshotError`, as ``read(_:fileName:)`` does.
  /// - Complexity: O(bytes).
  public func outline(
    _ bytes: [UInt8], fileName: String? = nil
  ) throws(SnapshotError) -> (outline: ListOutline, leftOutCount: Int, notices: ReadingNotices) {
    if let outline = fileOutline(bytes, fileName) { return (outline, 0, ReadingNotices()) }
    let read = try read(bytes, fileName: fileName)
    return (ListOutline(read.snapshot), read.leftOutCount, read.notices)
  }

  /// Nil for a file that is short, or faulty, or of another format, or whose items the policy may
  /// leave out.
  private func fileOutline(_ bytes: [UInt8], _ fileName: String?) -> ListOutline? {
    let format = format(of: bytes, fileName)
    guard bytes.count >= leastOutlinedByteCount, options.duplicates == .refuse, format != .csv
    else { return nil }
    let reader = ItemReader(bytes: bytes, options: options, chunkByteCount: chunkByteCount)
    var groups = FileGroups(options.limits)
    func add(_ item: OutlinedItem) throws(JSONError) {
      if groups.count % 4096 == 0 { onProgress(item.offset) }
      try groups.append(item)
    }
    do {
      if format == .json {
        try JSONSnapshot(reader).forEachItem(add)
      } else {
        try reader.forEachLine(add)
      }
    } catch {
      return nil
    }
    groups.finish()
    guard groups.haveDistinctIDs(usesAllCores: options.usesAllCores) else { return nil }
    let file = OutlinedFile(
      chunks: reader.chunks, usesAllCores: options.usesAllCores,
      advance: format == .json ? JSONSnapshot.advance : reader.advanceToLine,
      starts: groups.starts, offsets: groups.offsets)
    return ListOutline(
      tree: groups.groups.isEmpty ? .empty : RootTree(above: groups.groups, level: 1),
      items: file.items)
  }
}

/// The data that an outline keeps of an item while its group is open.
private struct OutlinedItem: FileElement {
  let offset: Int
  let hash: TreeHash
  let idHash: Int
  /// 0 when the item has no id.
  let idByteCount: Int
  let contentByteCount: Int

  init(_ item: ReadItem, _ hasher: inout ItemHasher) {
    let id = item.id ?? ""
    (offset, idHash) = (item.offset, item.idHash)
    hash = hasher.hash(Item(id: id, content: item.content))
    (idByteCount, contentByteCount) = (id.text.utf8.count, item.content.bytes.count)
  }
}

/// Divides the items of a file into groups of level 1 of their tree.
private struct FileGroups {
  private(set) var groups: [RootNode] = []
  /// The index of the first item of each group, and its offset in the file.
  private(set) var starts: [Int] = []
  private(set) var offsets: [Int] = []
  private var idHashes: [Int] = []
  private var open: [TreeHash] = []
  private let limits: Limits
  private var size: CommitSize

  init(_ limits: Limits) { (self.limits, size) = (limits, CommitSize(limits)) }

  var count: Int { idHashes.count }

  /// - Throws: an error for an item that has no id or is too large, which ends the outline.
  mutating func append(_ item: OutlinedItem) throws(JSONError) {
    do throws(ExceededLimit) {
      try size.add(idByteCount: item.idByteCount, contentByteCount: item.contentByteCount)
      try limits.check(count + 1, .items)
    } catch {
      throw JSONError(offset: item.offset, reason: .limit(error))
    }
    guard item.idByteCount > 0 else {
      throw JSONError(offset: item.offset, reason: .expected("an id", found: "none"))
    }
    if open.isEmpty {
      starts.append(count)
      offsets.append(item.offset)
    }
    open.append(item.hash)
    idHashes.append(item.idHash)
    if item.hash.ends(groupOf: open.count) { finish() }
  }

  mutating func finish() {
    if open.isEmpty { return }
    let group = RootNode(items: open)
    // Without the hashes of its items.
    groups.append(RootNode(level: 1, itemCount: group.itemCount, hash: group.hash))
    open.removeAll(keepingCapacity: true)
  }

  /// Whether all hashes of ids differ. Two equal hashes mean that two ids are equal, or collide by
  /// chance: the hashes have a new seed in each process.
  func haveDistinctIDs(usesAllCores: Bool) -> Bool {
    let (hashes, partCount) = (idHashes, 16)
    let isDistinct = { @Sendable (part: Int) -> Bool in
      var known = IDIndex(minimumCapacity: hashes.count / partCount)
      for (index, hash) in hashes.enumerated() where hash & (partCount - 1) == part {
        let first = known.firstIndex(hash: hash, orInsert: index) { hashes[$0] == hash }
        if first != nil { return false }
      }
      return true
    }
    return usesAllCores
      ? concurrentMap(count: partCount, isDistinct).allSatisfy(\.self)
      : (0..<partCount).allSatisfy(isDistinct)
  }
}

/// Reads groups of a file again.
private struct OutlinedFile: Sendable {
  let chunks: ChunkReader
  let usesAllCores: Bool
  let advance: ItemReader.Advance
  /// The index of the first item of each group, and its offset in the file.
  let starts: [Int]
  let offsets: [Int]

  private static let itemsPerPiece = 4096

  func items(in ranges: [Range<Int>]) -> [Item] {
    let pieces = ranges.flatMap(pieces)
    let read = { @Sendable (number: Int) in
      chunks.items(pieces[number].count, from: pieces[number].offset, advance)
    }
    let found =
      usesAllCores
      ? concurrentMap(count: pieces.count, read) : pieces.indices.map(read)
    return found.flatMap(\.self)
  }

  /// A sequence of groups as several, each with the offset of its first item.
  private func pieces(of range: Range<Int>) -> [(offset: Int, count: Int)] {
    var pieces: [(offset: Int, count: Int)] = []
    var group = starts.partitioningIndex { $0 >= range.lowerBound }
    while group < starts.count, starts[group] < range.upperBound {
      let next = starts[group...].partitioningIndex {
        $0 >= min(starts[group] + Self.itemsPerPiece, range.upperBound)
      }
      let end = next < starts.count ? starts[next] : range.upperBound
      pieces.append((offsets[group], end - starts[group]))
      group = next
    }
    return pieces
  }
}
