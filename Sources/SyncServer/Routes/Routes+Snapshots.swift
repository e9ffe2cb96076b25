import HTTPTypes
import Hummingbird
import ListDocuments
import ListModel
import SyncService

extension Routes {
  var snapshots: [Route] {
    [
      Route(method: .get, path: "/v1/lists/{list}", access: .read) { call in
        let list = try call.listName()
        if let unchanged = unchangedHead(of: list, call) { return unchanged }
        return try await snapshot(of: list, at: .head)
      },
      Route(method: .get, path: "/v1/lists/{list}/versions/{revision}", access: .read) { call in
        let text = call.pathValues["revision"] ?? ""
        guard let revision = Revision(text) else {
          throw Problem.invalid("'\(text.shortened)' is not one of: \(Revision.forms)")
        }
        return try await snapshot(of: call.listName(), at: revision)
      },
    ]
  }

  private func snapshot(of list: ListName, at revision: Revision) async throws -> Answer {
    let key = server.cacheKey(of: list, "snapshot \(revision)", revision.isSettled)
    return try await server.cache.answer(for: key) {
      let (state, answer) = try await made(of: list, at: revision)
      // A head that moved on while it was read belongs to another key.
      return AnswerCache.Made(
        answer: answer, isOfKey: revision != .head || state.cursor == key?.head)
    }
  }

  /// A whole list, read and encoded: long ones in turn, so that some processor is left to all
  /// others.
  private func made(
    of list: ListName, at revision: Revision
  ) async throws -> (ListState, Answer) {
    let count = server.board.head(of: list)?.head.count ?? 0
    guard count > Self.shortListCount else { return try await read(list, at: revision) }
    return try await server.longSnapshots.take {
      try server.cache.checkRoom()
      return try await read(list, at: revision)
    }
  }

  private func read(
    _ list: ListName, at revision: Revision
  ) async throws -> (ListState, Answer) {
    let (state, snapshot) = try await server.service.snapshot(of: list, at: revision)
    var answer = Answer.json(SnapshotDocument.encode(snapshot))
    answer.show(state)
    if let cursor = state.cursor {
      answer.headers[.contentLocation] = Address.version(cursor, of: list)
    }
    if case .cursor = revision { answer.caching = .immutable }
    return (state, answer)
  }

  /// So many items are read and encoded in about a millisecond.
  private static let shortListCount = 1_000

  /// What says without reading the list that the caller has its head; nil where the caller has not.
  private func unchangedHead(of list: ListName, _ call: Call) -> Answer? {
    guard let text = call.request.headers[.ifNoneMatch],
      let cursor = server.board.head(of: list)?.head.cursor,
      EntityTagCondition(text)?.matches(EntityTag(cursor: cursor)) ?? false
    else { return nil }
    return Answer(
      headers: [.contentLocation: Address.version(cursor, of: list)], mediaType: MediaTypes.json,
      cursor: cursor)
  }
}

extension Answer {
  /// Says what state of a list this is.
  mutating func show(_ state: ListState) { cursor = state.cursor }
}

extension Revision {
  /// Whether it names the same version for as long as the list stands at its head.
  var isSettled: Bool {
    switch self {
    case .head, .version, .cursor: true
    case .date, .tag: false
    }
  }
}
