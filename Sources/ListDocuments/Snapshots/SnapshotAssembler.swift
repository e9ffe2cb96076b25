import ListModel

/// Collects the items of a file and applies the duplicate policy.
struct SnapshotAssembler {
  private static let sampleLimit = 5
  private static let progressInterval = 4096

  private let options: SnapshotOptions
  private let bytes: [UInt8]
  private let onProgress: (_ byteCount: Int) -> Void
  private var size: CommitSize

  /// The items in file order, including those left out.
  private var items: [Item] = []
  private var offsets: [Int] = []
  private var indexes = IDIndex()
  /// The indexes of the items left out, because of the policy or a missing id.
  private var leftOut: [Int] = []
  /// The last index of each repeated id, by its first index.
  private var lastIndexes: [Int: Int] = [:]

  private var missing: [SnapshotError.MissingID] = []
  private var missingCount = 0
  private var duplicates: [SnapshotError.DuplicateID] = []
  private var duplicateCount = 0

  init(options: SnapshotOptions, bytes: [UInt8], onProgress: @escaping (_ byteCount: Int) -> Void) {
    self.options = options
    self.bytes = bytes
    self.onProgress = onProgress
    size = CommitSize(options.limits)
  }

  /// Adds the next item.
  ///
  /// - Throws: `JSONError.Reason.limit` when the item, or the list with it, is too large.
  mutating func add(_ read: ReadItem) throws(JSONError) {
    let index = items.count
    if index % Self.progressInterval == 0 { onProgress(read.offset) }
    let item = Item(id: read.id ?? "", content: read.content)
    do throws(ExceededLimit) {
      try size.add(item)
      guard index < options.limits[.items] else {
        throw ExceededLimit(.items, bound: options.limits[.items])
      }
    } catch {
      throw JSONError(offset: read.offset, reason: .limit(error))
    }
    offsets.append(read.offset)
    items.append(item)
    guard let id = read.id else { return recordMissingID(of: item.content, at: index) }
    let first = indexes.firstIndex(hash: read.idHash, orInsert: index) { items[$0].id == id }
    if let first { addDuplicate(id, first: first, second: index) }
  }

  private mutating func addDuplicate(_ id: ItemID, first: Int, second: Int) {
    duplicateCount += 1
    switch options.duplicates {
    case .keepFirst: leftOut.append(second)
    case .keepLast:
      leftOut.append(lastIndexes.updateValue(second, forKey: first) ?? first)
    case .refuse:
      guard duplicates.count < Self.sampleLimit else { return }
      duplicates.append(
        SnapshotError.DuplicateID(
          id: id, first: first, firstPosition: position(first), second: second,
          secondPosition: position(second)))
    }
  }

  private mutating func recordMissingID(of content: Content, at index: Int) {
    missingCount += 1
    leftOut.append(index)
    guard missing.count < Self.sampleLimit else { return }
    do {
      _ = try options.idRule.id(of: content)
    } catch {
      let view = ContentView(content)
      missing.append(
        SnapshotError.MissingID(
          index: index, position: position(index), failure: error,
          members: view.kind == .object ? view.members.map(\.name) : nil))
    }
  }

  private func position(_ index: Int) -> TextPosition {
    TextPosition(offset: offsets[index], in: bytes)
  }

  func finish(
    format: SnapshotOptions.Format, _ notices: ReadingNotices
  ) throws(SnapshotError) -> ReadSnapshot {
    // A rule that fits no item is wrong under any policy.
    let fitsNone = missingCount == offsets.count && missingCount > 0
    if let error = idError(fitsNone: fitsNone) { throw error }
    onProgress(bytes.count)
    return ReadSnapshot(
      snapshot: Snapshot(uniqueItems: keptItems), format: format, leftOutCount: leftOut.count,
      notices: notices)
  }

  private func idError(fitsNone: Bool) -> SnapshotError? {
    let noID = SnapshotError.noID(samples: missing, count: missingCount)
    guard options.duplicates == .refuse else { return fitsNone ? noID : nil }
    let repeated = SnapshotError.duplicateIDs(samples: duplicates, count: duplicateCount)
    switch (missingCount > 0, duplicateCount > 0) {
    case (true, true): return .missingAndDuplicateIDs(noID, repeated)
    case (true, false): return noID
    case (false, true): return repeated
    case (false, false): return nil
    }
  }

  private var keptItems: [Item] {
    if leftOut.isEmpty { return items }
    let indexes = Set(leftOut)
    return items.indices.filter { !indexes.contains($0) }.map { items[$0] }
  }
}
