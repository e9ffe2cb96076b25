import ListChanges
import ListModel

/// Steps, and the changes of one item.
extension ListReader {
  /// Returns the steps of versions, in ascending order.
  ///
  /// - Throws: `StoreError.corrupt` when a step is missing or incomplete.
  /// - Complexity: O(c) rows read for c changes.
  public func steps(_ range: ClosedRange<Version>, of list: ListKey) throws -> [Step] {
    var reading = try StepReading(versionRanges(range, of: list))
    if let changes = reading.changes {
      try changeRows(changes, of: list) { try reading.add($0) }
    }
    return try reading.steps
  }

  /// Passes the changes of one item to a receiver, newest first, until it returns false.
  ///
  /// - Parameters:
  ///   - item: its key.
  ///   - list: the record of its list.
  ///   - before: only the changes of older versions than this one; nil for all.
  ///   - receive: gets each change; returns whether it wants more.
  /// - Complexity: O(c) rows read for c changes of the item that are passed.
  public func history(
    of item: ItemKey, in list: ListRecord, before: Version? = nil,
    receive: (ItemChange) throws -> Bool
  ) throws {
    let (first, last) = (list.firstStep, min(before ?? list.head.next, list.head.next))
    guard first < last else { return }
    let startChange = try first == Version(1) ? 1 : firstChange(of: first, in: list.key)
    let endChange = try last > list.head ? nil : firstChange(of: last, in: list.key)
    if let endChange, endChange <= item.sequence { return }
    var count = Self.firstPageCount
    var page: [ChangeRow] = []
    let end = try endChange ?? row(of: list.key).nextChange
    let changes = startChange..<max(startChange, end)
    let isWanted = try changeRows(of: item, within: changes, in: list.key) { change in
      page.append(change)
      if page.count < count { return true }
      defer { (page, count) = ([], Self.pageCount) }
      return try pass(page, of: list, to: receive)
    }
    if isWanted { _ = try pass(page, of: list, to: receive) }
  }

  /// The numbers of changes of an item that are read at once, the first time and later. Few callers
  /// want more than the newest ones.
  private static let (firstPageCount, pageCount) = (16, 256)

  /// Passes changes to a receiver, with their versions and contents.
  ///
  /// - Returns: whether the receiver wants more.
  private func pass(
    _ changes: [ChangeRow], of list: ListRecord, to receive: (ItemChange) throws -> Bool
  ) throws -> Bool {
    let versions = RowRange(.versionsByFirstChange, prefix: [LogValue(list.key)])
    let ranges = changes.map { change in
      var (own, next) = (versions.descending(limit: 2), versions.limited(to: 1))
      (own.through, next.from) = (.integer(change.sequence), .integer(change.sequence + 1))
      return (own: own, next: next)
    }
    let stored = changes.flatMap { change in
      [change.oldContent, change.newContent].compactMap(\.self).map {
        StoredItem(id: change.item, content: $0)
      }
    }
    let keys = stored.map(\.content)
    try readAhead(
      ranges.flatMap { [.range($0.own), .range($0.next)] }
        + firstBlocks(of: Self.wanted(ids: [], contents: stored), in: list.key))
    let contents = Dictionary(
      zip(keys, try checkedContents(of: stored)), uniquingKeysWith: { first, _ in first })
    for (change, range) in zip(changes, ranges) {
      let rows = try rows(range.own, read: VersionRow.init)
      let record = try rows.first.map {
        try records(rows.reversed(), of: list.key, from: $0.version)[0]
      }
      let next = try first(range.next) { try VersionRow($0).version }
      // The change may belong to a version that is missing between the two.
      guard let record, next ?? list.head.next == record.version.next else {
        throw StoreError.corrupt(reason: "the version of change \(change.sequence) is missing")
      }
      let wantsMore = try receive(
        ItemChange(
          record: record, from: change.from, to: change.to, isMove: change.kind == .move,
          oldContent: change.oldContent.flatMap { contents[$0] },
          newContent: change.newContent.flatMap { contents[$0] }))
      if !wantsMore { return false }
    }
    return true
  }
}

/// The assembly of steps from the changes of versions.
private struct StepReading {
  private var ranges: ArraySlice<VersionRange>
  private var oldCount: Int
  private var builder: StepBuilder
  private var next: Int64
  private var finished: [Step] = []
  /// The numbers of the rows to read; nil if there are none.
  let changes: Range<Int64>?

  init(_ found: (oldCount: Int, versions: [VersionRange])) throws {
    (oldCount, ranges) = (found.oldCount, found.versions[...])
    next = ranges.first?.changes.lowerBound ?? 0
    let end = ranges.last?.changes.upperBound ?? 0
    changes = next < end ? next..<end : nil
    builder = StepBuilder(counts: ranges.first?.counts)
    try finishSteps()
  }

  /// Adds the next change.
  ///
  /// - Throws: `StoreError.corrupt` if it is not the next change.
  mutating func add(_ change: ChangeRow) throws {
    guard change.sequence == next, !ranges.isEmpty else { throw missing }
    try builder.add(change)
    next += 1
    try finishSteps()
  }

  private mutating func finishSteps() throws {
    while let range = ranges.first, next >= range.changes.upperBound {
      do {
        let changes = try builder.changeSet(oldCount: oldCount, newCount: range.itemCount)
        guard ChangeCounts(changes) == range.counts else {
          throw StoreError.corrupt(
            reason: "version \(range.version) does not have the changes that it counts")
        }
        finished.append((range.version, changes))
      } catch let error as ListChangesError<ItemKey> {
        throw StoreError.corrupt(
          reason: "the step of version \(range.version) is broken: \(error)")
      }
      oldCount = range.itemCount
      ranges = ranges.dropFirst()
      builder = StepBuilder(counts: ranges.first?.counts)
    }
  }

  /// All steps.
  ///
  /// - Throws: `StoreError.corrupt` if a change is missing.
  var steps: [Step] {
    get throws {
      guard ranges.isEmpty else { throw missing }
      return finished
    }
  }

  private var missing: StoreError {
    let version = ranges.first.map { "version \($0.version)" } ?? "a version"
    return .corrupt(reason: "\(version) lacks change \(next)")
  }
}
