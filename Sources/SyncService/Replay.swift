import ListModel
import ListStore

extension SyncService {
  /// Reads the steps from one version of a list to another, forwards or backwards, a delta for
  /// each.
  ///
  /// If the first versions were pruned, a single step leads from version 0 to the oldest version.
  /// Deltas are read some at a time, each time in a transaction: versions never change, and a slow
  /// receiver keeps no transaction open. All deltas are of one history, also if the list is dropped
  /// meanwhile and another one begins under its name.
  ///
  /// - Throws: `ServiceError` of looking up; `ServiceError.gone` when the list is dropped or
  ///   renamed meanwhile; `.diverged` when another list has its name then; what `receive` throws.
  /// - Complexity: memory for a version, or for several with 64 MB of texts together.
  public func replay(
    _ list: ListName, from: Revision, to: Revision, receive: (Delta) async throws -> Void
  ) async throws {
    try await replay(list, from: from, to: to, batchCount: nil, receive: receive)
  }

  /// - Parameter batchCount: the most changes that are read together; nil for the list's own
  ///   number.
  package func replay(
    _ list: ListName, from: Revision, to: Revision, batchCount: Int?,
    receive: (Delta) async throws -> Void
  ) async throws {
    let (way, newest, limit) = try await store.read { reader in
      let list = try reader.existingList(list)
      let (from, to) = (try reader.state(of: from, in: list), try reader.state(of: to, in: list))
      return (
        list.way(from: from.version, to: to.version), from.version < to.version ? to : from,
        try batchCount ?? reader.stepBatchCount(of: list)
      )
    }
    var rest = way[...]
    while rest.count > 1 {
      let deltas = try await store.read { [rest] reader in
        let list = try reader.existingList(list)
        // Its chain proves the versions before it.
        if let newest = newest.cursor { _ = try reader.state(of: .cursor(newest), in: list) }
        return try reader.deltas(along: rest.prefix(limit + 1), of: list, upTo: limit)
      }
      for delta in deltas { try await receive(delta) }
      rest = rest.dropFirst(deltas.count)
    }
  }
}

extension SyncService {
  /// The steps that lead to some adjacent versions, oldest first. If they have too many changes to
  /// be read together, only the steps at one end: at least one, unless it was pruned.
  ///
  /// - Parameters:
  ///   - list: its name.
  ///   - versions: the versions, of which the list need not have all.
  ///   - keepsLast: whether to keep those at the end of the range rather than those at its start.
  /// - Throws: `ServiceError.noSuchList`; `StoreError`.
  /// - Complexity: memory for a version, or for several with 64 MB of texts together.
  public func steps(
    to versions: ClosedRange<Version>, of list: ListName, keepsLast: Bool
  ) async throws -> [Delta] {
    try await store.read { reader in
      let list = try reader.existingList(list)
      var (first, last) = (
        max(versions.lowerBound, list.firstStep), min(versions.upperBound, list.head)
      )
      guard first <= last else { return [] }
      let limit = try reader.stepBatchCount(of: list)
      if keepsLast {
        var (start, count) = (last, 0)
        for record in try reader.records(of: first...last, in: list).reversed() {
          count += max(1, record.changes.total)
          guard record.version == last || count <= limit else { break }
          start = record.version
        }
        first = start
      } else {
        last = min(last, Version(first.number + limit))
      }
      let way = (first.number - 1...last.number).map { Version($0) }
      return try reader.deltas(along: way[...], of: list, upTo: limit)
    }
  }
}

extension ListReader {
  /// The first deltas along a way of adjacent versions: as many as have at most a number of changes
  /// together, but at least one.
  func deltas(
    along way: ArraySlice<Version>, of list: ListRecord, upTo limit: Int
  ) throws -> [Delta] {
    let pairs = zip(way, way.dropFirst()).prefix { min($0, $1).next >= list.firstStep }
    guard let first = pairs.first, let last = pairs.last else {
      // The step to the oldest version was pruned.
      let (from, to) = (way[way.startIndex], way[way.startIndex + 1])
      return [try delta(of: list, from: state(of: from, in: list), to: state(of: to, in: list))]
    }
    let low = max(min(first.0, last.1), Version(1))
    _ = try record(of: low, in: list)
    let records = try records(of: low...max(first.0, last.1), in: list)
    func kept(_ version: Version) -> VersionRecord? {
      version == .zero ? nil : records[version.number - low.number]
    }
    var count = 0
    let read = pairs.prefix { from, to in
      let isFirst = count == 0
      count = count.adding(max(1, kept(max(from, to))?.changes.total ?? 0))
      return isFirst || count <= limit
    }
    let states = read.map { (from: kept($0)?.state ?? .zero, to: kept($1)?.state ?? .zero) }
    guard let start = read.first?.1, let end = read.last?.1, first.0 < first.1 else {
      // The inverse of a step may move other items, which the list before it has.
      return try states.map { try delta(of: list, from: $0.from, to: $0.to) }
    }
    let steps = try steps(start...end, of: list.key).map(\.changes)
    return try zip(states, named(steps, of: list.key)).map { states, changes in
      Delta(
        list: list.name, from: states.from, to: states.to, oldest: list.oldest, changes: changes)
    }
  }
}

extension ListRecord {
  /// The answerable versions from one to another, both included.
  fileprivate func way(from start: Version, to end: Version) -> [Version] {
    let (low, high) = (min(start, end), max(start, end))
    // The oldest version may have any number: don't count through those below it.
    let kept = (max(low.number, oldest.number)..<max(high.next.number, oldest.number))
      .map(Version.init)
    let ascending = low == .zero && oldest > .zero ? [.zero] + kept : kept
    return start <= end ? ascending : ascending.reversed()
  }
}
