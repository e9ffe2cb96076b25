import ListModel
import ListStore

extension SyncService {
  /// Reads the steps from one version of a list to another, forwards or backwards, a delta for
  /// each.
  ///
  /// If the first versions were pruned, a single step leads from version 0 to the oldest version.
  /// Each delta is read in its own transaction: versions never change, and a slow receiver keeps no
  /// transaction open.
  public func replay(
    _ list: ListName, from: Revision, to: Revision, receive: (Delta) async throws -> Void
  ) async throws {
    let versions = try await store.read { reader in
      let list = try reader.existingList(list)
      return try list.way(
        from: reader.state(of: from, in: list).version, to: reader.state(of: to, in: list).version)
    }
    for (from, to) in zip(versions, versions.dropFirst()) {
      try await receive(delta(of: list, since: .version(from), to: .version(to)))
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
