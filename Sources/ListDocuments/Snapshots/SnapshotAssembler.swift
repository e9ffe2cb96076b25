import ListModel

/// Collects the items of a file, gives each its id, and applies the duplicate policy.
struct SnapshotAssembler {
  private static let sampleLimit = 5
  private static let progressInterval = 4096

  private let options: SnapshotOptions
  private let bytes: [UInt8]
  private let onProgress: (_ byteCount: Int) -> Void

  /// The items in file order; nil where the policy left one out.
  private var items: [Item?] = []
  private var offsets: [Int] = []
  private var indexes: [ItemID: Int] = [:]
  private var leftOutCount = 0

  private var missing: [SnapshotError.MissingID] = []
  private var missingCount = 0
  private var duplicates: [SnapshotError.DuplicateID] = []
  private var duplicateCount = 0

  init(
    options: SnapshotOptions, bytes: [UInt8], onProgress: @escaping (_ byteCount: Int) -> Void
  ) {
    self.options = options
    self.bytes = bytes
    self.onProgress = onProgress
  }

  /// Takes the next item.
  ///
  /// - Parameter offset: where it starts in the file.
  mutating func add(_ content: Content, at offset: Int) {
    if items.count % Self.progressInterval == 0 { onProgress(offset) }
    offsets.append(offset)
    do {
      let item = Item(id: try options.idRule.id(of: content), content: content)
      items.append(item)
      if let first = indexes[item.id] {
        settle(item.id, first: first, second: items.count - 1)
      } else {
        indexes[item.id] = items.count - 1
      }
    } catch {
      items.append(nil)
      note(error.problem, content)
    }
  }

  private mutating func settle(_ id: ItemID, first: Int, second: Int) {
    duplicateCount += 1
    leftOutCount += 1
    switch options.duplicates {
    case .keepFirst: items[second] = nil
    case .keepLast:
      items[first] = nil
      indexes[id] = second
    case .refuse:
      guard duplicates.count < Self.sampleLimit else { return }
      duplicates.append(
        SnapshotError.DuplicateID(
          id: id, first: first, firstPosition: position(first), second: second,
          secondPosition: position(second)))
    }
  }

  private mutating func note(_ problem: IDRule.Problem, _ content: Content) {
    missingCount += 1
    leftOutCount += 1
    guard missing.count < Self.sampleLimit else { return }
    let view = ContentView(content)
    let index = offsets.count - 1
    missing.append(
      SnapshotError.MissingID(
        index: index, position: position(index), problem: problem,
        members: view.kind == .object ? view.members.map(\.name) : nil))
  }

  private func position(_ index: Int) -> TextPosition {
    TextPosition(offset: offsets[index], in: bytes)
  }

  func finish(format: SnapshotOptions.Format) throws(SnapshotError) -> ReadSnapshot {
    // A rule that fits no item at all is a wrong rule, whatever the policy.
    let fitsNone = missingCount == offsets.count && missingCount > 0
    if missingCount > 0, options.duplicates == .refuse || fitsNone {
      throw .noID(samples: missing, count: missingCount)
    }
    if duplicateCount > 0, options.duplicates == .refuse {
      throw .duplicateIDs(samples: duplicates, count: duplicateCount)
    }
    onProgress(bytes.count)
    return ReadSnapshot(
      snapshot: Snapshot(uniqueItems: items.compactMap { $0 }), format: format,
      leftOutCount: leftOutCount)
  }
}
