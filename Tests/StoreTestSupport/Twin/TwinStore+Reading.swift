import ListChanges
import ListModel
import ListStore

@testable import SyncService

extension TwinStore {
  package func delta(of name: ListName, since: Revision, to: Revision) throws -> Delta {
    let list = try list(name)
    let end = try list.version(of: to)
    return list.delta(try list.version(of: since), end)
  }

  package func catchUp(_ request: CatchUpRequest) throws -> CatchUpAnswer<Delta> {
    let list = try list(request.list)
    let wanted = try list.version(of: request.to)
    func snapshot(_ from: Int?, _ to: Int, _ reason: WholeListReason) throws -> CatchUpAnswer<
      Delta
    > {
      .snapshot(
        SnapshotDelta(
          list: list.name, from: from.map { list.state($0) }, to: list.state(to),
          oldest: Version(list.oldest), snapshot: try Snapshot(list.snapshots[to]), reason: reason))
    }
    let from: Int
    do {
      from = try list.version(of: request.since)
    } catch ServiceError.diverged where request.fallsBack {
      return try snapshot(nil, wanted, .diverged)
    } catch ServiceError.tooOld where request.fallsBack {
      return try snapshot(nil, wanted, .tooOld)
    }
    if request.fallsBack, from == 0, wanted > 0 { return try snapshot(from, wanted, .first) }
    let end = list.pageEnd(from, wanted, limit: request.changeLimit)
    var delta = list.delta(from, end)
    delta.more = end != wanted
    let items = try Snapshot(list.snapshots[wanted])
    // A delta of far fewer changes than the list has items is not weighed against it.
    if request.takesSmaller, delta.changes.count * 2 >= items.items.count,
      items.writtenByteCount < delta.writtenByteCount
    {
      return try snapshot(from, wanted, .smaller)
    }
    return .changes(delta)
  }

  package func replay(_ name: ListName, from: Revision, to: Revision) throws -> [Delta] {
    let list = try list(name)
    let (from, to) = (try list.version(of: from), try list.version(of: to))
    let versions = ([0] + list.kept).filter { min(from, to) <= $0 && $0 <= max(from, to) }
    let way = from <= to ? versions : versions.reversed()
    return zip(way, way.dropFirst()).map { list.delta($0, $1) }
  }

  package func history(of id: ItemID, in name: ListName) throws -> [ItemChange] {
    let list = try list(name)
    guard list.kept.contains(where: { list.snapshots[$0].contains { $0.id == id } }) else {
      throw ServiceError.noSuchItem(id, list: name)
    }
    return list.steps.reversed().compactMap { list.entry(of: id, at: $0) }
  }

  package func places(
    of id: ItemID, in name: ListName, first: Int?, before: Version?
  ) throws -> [PlaceRun] {
    let list = try list(name)
    guard list.kept.contains(where: { list.snapshots[$0].contains { $0.id == id } }) else {
      throw ServiceError.noSuchItem(id, list: name)
    }
    let records = list.kept.map { list.record($0) }
    return PlaceRun.all(of: records, first: first, before: before) { version in
      list.snapshots[version].firstIndex { $0.id == id }
    }
  }

  package func log(of name: ListName, limit: Int?) throws -> [VersionRecord] {
    Array(try list(name).log.prefix(limit ?? Int.max))
  }
}

extension TwinList {
  /// Where a page ends: as many versions on as have no more changes than the limit, and one at
  /// least. Before the oldest version there are no steps, so that a page ends there.
  fileprivate func pageEnd(_ from: Int, _ to: Int, limit: Int?) -> Int {
    guard let limit, abs(to - from) > 1 else { return to }
    if oldest > 1, from == 0 { return oldest }
    if oldest > 1, to == 0, from == oldest { return 0 }
    let last = oldest > 1 && to == 0 ? oldest : to
    let direction = from < to ? 1 : -1
    var (end, count) = (from, 0)
    while end != last {
      count += changeCount(direction > 0 ? end + 1 : end)
      if count > limit, end != from { break }
      end += direction
    }
    return end
  }

  /// The change of an item in a version; nil if the version does not change it.
  fileprivate func entry(of id: ItemID, at version: Int) -> ItemChange? {
    let (old, new) = (snapshots[version - 1], snapshots[version])
    let (from, to) = (
      old.firstIndex { $0.id == id }, new.firstIndex { $0.id == id }
    )
    let isMove = changes(version - 1, version).moved.contains { $0.from == from && $0.to == to }
    let (before, after) = (from.map { old[$0].content }, to.map { new[$0].content })
    guard isMove || before != after else { return nil }
    return ItemChange(
      record: record(version), from: from, to: to, isMove: isMove, oldContent: before,
      newContent: after)
  }
}

extension PlaceRun {
  /// The runs that whole snapshots have.
  ///
  /// - Parameters:
  ///   - records: those of the versions that the list keeps, ascending.
  ///   - first: as in `places`.
  ///   - before: as in `places`.
  ///   - index: gives the item's index at a version; nil if the version lacks it.
  package static func all(
    of records: [VersionRecord], first: Int?, before: Version?, index: (Int) -> Int?
  ) -> [PlaceRun] {
    var runs: [PlaceRun] = []
    for (position, record) in records.enumerated() where record.version < before ?? .highest {
      guard let place = index(record.version.number), place < first ?? .max else { continue }
      let next = position + 1 < records.count ? records[position + 1].note.time : nil
      var run = PlaceRun(
        versions: record.version...record.version, index: place, beganAt: record.note.time,
        endedAt: next)
      if let last = runs.last, last.versions.upperBound.next == record.version,
        first != nil || last.index == place
      {
        runs.removeLast()
        run = PlaceRun(
          versions: last.versions.lowerBound...record.version, index: min(place, last.index),
          beganAt: last.beganAt, endedAt: next)
      }
      runs.append(run)
    }
    return runs.reversed()
  }
}
