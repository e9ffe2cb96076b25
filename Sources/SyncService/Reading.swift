import ListModel
import ListStore

/// A list as an overview shows it.
public struct ListSummary: Equatable, Sendable {
  public let name: ListName
  public let head: ListState
  /// When the head was committed; nil at version 0.
  public let committedAt: Timestamp?
  public let oldest: Version
}

extension SyncService {
  /// All lists by name.
  public func lists() async throws -> [ListSummary] {
    try await store.read { try $0.summaries() }
  }

  /// How ids are found in a list's snapshot files, as the last commit that said it noted it; nil
  /// where none did.
  public func idRule(of list: ListName) async throws -> String? {
    try await store.read { try $0.list(list)?.idRule }
  }

  /// A list at a version, with its state.
  ///
  /// - Throws: `ServiceError` of those grouped under looking up; `.broken` when the stored version
  ///   is not what its checksum says.
  public func snapshot(
    of list: ListName, at revision: Revision = .head
  ) async throws -> (state: ListState, snapshot: Snapshot) {
    try await store.read { reader in
      let list = try reader.existingList(list)
      let state = try reader.state(of: revision, in: list)
      return (state, try reader.checkedSnapshot(at: state, of: list))
    }
  }
}

extension ListReader {
  /// All lists by name.
  func summaries() throws -> [ListSummary] {
    try lists().map { list in
      let head = try versions(list.head...list.head, of: list.key).first
      return ListSummary(
        name: list.name, head: head?.state ?? .zero, committedAt: head?.note.time,
        oldest: list.oldest)
    }
  }
}
