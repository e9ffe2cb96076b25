import ListModel
import ListStore

extension SyncService {
  /// The steps from one version of a list to another, one delta each, in the order in which a
  /// replica applies them; steps back where the range runs backwards.
  ///
  /// Where the first versions of a list were pruned, the oldest one that is kept comes in one step
  /// from the empty list.
  ///
  /// Each delta is read in a transaction of its own: versions never change, and a slow receiver
  /// holds nothing open.
  public func replay(
    _ list: ListName, from: Revision, to: Revision,
    receive: (Delta) async throws -> Void
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
    // The oldest version may have any number: those below it are not counted through.
    let kept = (max(low.number, oldest.number)..<max(high.next.number, oldest.number))
      .map(Version.init)
    let ascending = low == .zero && oldest > .zero ? [.zero] + kept : kept
    return start <= end ? ascending : ascending.reversed()
  }
}
