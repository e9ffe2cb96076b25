import ListModel
import ListStore

extension SyncService {
  /// The steps from one version of a list to another, one delta each, in the order in which a
  /// replica applies them; steps back where the range runs backwards.
  ///
  /// Each delta is read in a transaction of its own: versions never change, and a slow receiver
  /// holds nothing open.
  public func replay(
    _ list: ListName, from: Revision, to: Revision,
    receive: (Delta) async throws -> Void
  ) async throws {
    let (start, end) = try await store.read { reader in
      let list = try reader.existingList(list)
      return (
        try reader.state(of: from, in: list).version, try reader.state(of: to, in: list).version
      )
    }
    let direction = start <= end ? 1 : -1
    for number in stride(from: start.number, to: end.number, by: direction) {
      let (from, to) = (Version(number), Version(number + direction))
      try await receive(delta(of: list, since: .version(from), to: .version(to)))
    }
  }
}
