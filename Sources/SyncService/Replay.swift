import ListModel
import ListStore

extension SyncService {
  /// Reads the steps from one version of a list to another, forwards or backwards, a delta for
  /// each.
  ///
  /// If the first versions were pruned, a single step leads from version 0 to the oldest version.
  /// Each delta is read in its own transaction: versions never change, and a slow receiver keeps no
  /// transaction open. All deltas are of one history, also if the list is dropped meanwhile and
  /// another one begins under its name.
  ///
  /// - Throws: errors of looking up; `ServiceError.gone` when the list is dropped or renamed
  ///   meanwhile; `.diverged` when another list has its name then; what `receive` throws.
  public func replay(
    _ list: ListName, from: Revision, to: Revision, receive: (Delta) async throws -> Void
  ) async throws {
    let (versions, newest) = try await store.read { reader in
      let list = try reader.existingList(list)
      let (from, to) = (try reader.state(of: from, in: list), try reader.state(of: to, in: list))
      return (
        list.way(from: from.version, to: to.version), from.version < to.version ? to : from
      )
    }
    for start in stride(from: 0, to: versions.count - 1, by: Self.replayedCount) {
      let part = Array(versions[start...].prefix(Self.replayedCount + 1))
      let cursors = try await cursors(of: part, before: newest, in: list)
      for (from, to) in zip(cursors, cursors.dropFirst()) {
        try await receive(delta(of: list, since: .cursor(from), to: .cursor(to)))
      }
    }
  }

  /// How many steps are looked up at a time.
  private static let replayedCount = 256

  /// The cursors of versions that are next to each other, in their order.
  ///
  /// - Parameter newest: a state of the same history, at the last of the versions or after it: its
  ///   chain proves them all.
  private func cursors(
    of versions: [Version], before newest: ListState, in name: ListName
  ) async throws -> [Cursor] {
    try await store.read { reader in
      let list = try reader.existingList(name)
      if let newest = newest.cursor { _ = try reader.state(of: .cursor(newest), in: list) }
      // Version 0 has no record; the others are a range.
      let stored = versions.filter { $0 > .zero }
      guard let low = stored.min(), let high = stored.max() else {
        return versions.map { _ in .zero }
      }
      _ = try reader.record(of: low, in: list)
      let records = try reader.records(of: low...high, in: list)
      return versions.map { $0 == .zero ? .zero : records[$0.number - low.number].cursor }
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
