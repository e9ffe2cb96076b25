import ListChanges
import ListModel
import ListStore

/// Adjacent versions at which an item of a list has the same index, or any of the first indexes.
public struct PlaceRun: Equatable, Sendable {
  public let versions: ClosedRange<Version>
  /// The item's index; where runs are of the first indexes, the lowest of them.
  public let index: Int
  /// When the first of the versions was committed.
  public let beganAt: Timestamp
  /// When the version after the last one was committed; nil if the last one is the head.
  public let endedAt: Timestamp?
}

extension SyncService {
  /// The versions at which a list has an item, by the item's index, newest first.
  ///
  /// A version without the item is in no run. If versions were pruned, the oldest run begins with
  /// the oldest version that is left, although the item may have been there before.
  ///
  /// - Parameters:
  ///   - item: its id.
  ///   - list: the name of the list.
  ///   - first: only versions at which the item is among the first so many, one run for adjacent
  ///     ones; nil for a run of each index.
  ///   - before: only versions older than this one; nil for all.
  ///   - limit: the highest number of runs.
  /// - Returns: the runs, and the state of the head.
  /// - Throws: `ServiceError.noSuchItem` when no kept version contains the item; `.noSuchList`.
  /// - Complexity: O(p + c) for the p parts of the head and the c changes of all versions, back to
  ///   the first one of the last run; no list is rebuilt, unless `before` names a version.
  public func places(
    of item: ItemID, in list: ListName, first: Int? = nil, before: Version? = nil,
    limit: Int = .max
  ) async throws -> (state: ListState, runs: [PlaceRun]) {
    try await store.read { reader in
      let list = try reader.existingList(list, for: [.ids([item]), .texts])
      let key = try reader.existingItem(item, of: list)
      let newest = min(before.map { Version(max($0.number, 1) - 1) } ?? list.head, list.head)
      var runs = PlaceRuns(firstCount: first ?? .max, joinsIndexes: first != nil)
      if newest < list.head, newest >= list.oldest {
        runs.endedAt = try reader.record(of: newest.next, in: list).note.time
      }
      try reader.forEachPlace(of: key, in: list, notAfter: newest) { record, index in
        runs.add(index, at: record)
        return runs.finished.count < limit
      }
      return (try reader.state(of: list.head, in: list), runs.all(limit))
    }
  }
}

/// Joins the places of an item at versions, newest first, to runs.
private struct PlaceRuns {
  let firstCount: Int
  let joinsIndexes: Bool
  private(set) var finished: [PlaceRun] = []
  private var run: PlaceRun?
  /// The time of the version after the next one that is added.
  var endedAt: Timestamp?

  init(firstCount: Int, joinsIndexes: Bool) {
    (self.firstCount, self.joinsIndexes) = (firstCount, joinsIndexes)
  }

  /// - Parameter index: nil if the version does not have the item.
  mutating func add(_ index: Int?, at record: VersionRecord) {
    defer { endedAt = record.note.time }
    guard let index, index < firstCount else { return finishRun() }
    if let run, !joinsIndexes, run.index != index { finishRun() }
    run = PlaceRun(
      versions: record.version...(run?.versions.upperBound ?? record.version),
      index: min(index, run?.index ?? index), beganAt: record.note.time,
      endedAt: run == nil ? endedAt : run?.endedAt)
  }

  private mutating func finishRun() {
    if let run { finished.append(run) }
    run = nil
  }

  func all(_ limit: Int) -> [PlaceRun] {
    Array((finished + [run].compactMap(\.self)).prefix(limit))
  }
}

extension ListReader {
  /// Passes an item's index at each version to a receiver, newest first, until it returns false;
  /// nil for a version without the item.
  ///
  /// The index at the newest version is looked up. Each step then tells the index before it.
  fileprivate func forEachPlace(
    of item: ItemKey, in list: ListRecord, notAfter newest: Version,
    _ receive: (VersionRecord, Int?) throws -> Bool
  ) throws {
    // A list without versions has version 1 as its oldest.
    guard newest >= list.oldest else { return }
    var (last, index) = (newest, try index(of: item, at: newest, in: list))
    while last >= list.oldest {
      let records = try newestRecords(upTo: last, in: list)
      let first = records.first?.version ?? last
      let firstStep = max(first, list.firstStep)
      let steps = firstStep <= last ? try steps(firstStep...last, of: list.key) : []
      for record in records.reversed() {
        if try !receive(record, index) { return }
        // The step to the oldest version was pruned, unless it is version 1.
        guard record.version >= firstStep else { return }
        let changes = steps[record.version.number - firstStep.number].changes
        guard index.flatMap(changes.item) ?? item == item else {
          throw ServiceError.broken(
            list: list.name, version: record.version, reason: "two items have the same index")
        }
        index = changes.oldIndex(of: item, at: index)
      }
      last = Version(first.number - 1)
    }
  }

  private func index(of item: ItemKey, at version: Version, in list: ListRecord) throws -> Int? {
    if version < list.head {
      return try storedItems(at: version, of: list).firstIndex { $0.id == item }
    }
    var order = try order(of: list, count: state(of: version, in: list).count)
    return try order.indexes(of: [item])[item]
  }

  /// The records of the versions whose steps are read together: those before and up to a version,
  /// 256, or fewer if they have many changes.
  private func newestRecords(
    upTo last: Version, in list: ListRecord
  ) throws -> ArraySlice<VersionRecord> {
    let first = max(list.oldest, Version(max(1, last.number - 255)))
    let records = try records(of: first...last, in: list)
    var count = 0
    let few = records.reversed().prefix { record in
      count = count.adding(record.changes.total)
      return record.version == last || count <= Self.batchChangeCount
    }
    return records.suffix(few.count)
  }

  private static var batchChangeCount: Int { 1 << 16 }
}

extension ChangeSet<StoredItem> {
  /// The item at an index after the changes, if they name it.
  fileprivate func item(at index: Int) -> ItemKey? {
    inserted.first { $0.to == index }?.element.id ?? moved.first { $0.to == index }?.id
      ?? updated.first { $0.to == index }?.new.id
  }

  /// The index of an item before the changes; nil if it was not in the list then.
  ///
  /// - Parameter index: its index after the changes; nil if it is not in the list then.
  /// - Complexity: O(d log d) for d changes.
  fileprivate func oldIndex(of item: ItemKey, at index: Int?) -> Int? {
    guard let index else { return removed.first { $0.element.id == item }?.from }
    return Alignment(of: self).oldIndex(ofNew: index)
  }
}
