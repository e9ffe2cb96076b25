import HTTPTypes
import ListDocuments
import ListModel
import SyncService

extension Routes {
  var snapshots: [Route] {
    [
      Route(method: .get, path: "/v1/lists/{list}", access: .read) { call in
        try await snapshot(of: call.listName(), at: .head)
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
    if let key, let kept = server.cache.answer(for: key) { return kept }
    let (state, snapshot) = try await server.service.snapshot(of: list, at: revision)
    var answer = Answer.json(SnapshotDocument.encode(snapshot))
    answer.show(state)
    if let cursor = state.cursor {
      answer.headers[.contentLocation] = Address.version(cursor, of: list)
    }
    if case .cursor = revision { answer.caching = .immutable }
    // A head that moved on while it was read belongs to another key.
    if let key, revision != .head || state.cursor == key.head {
      server.cache.keep(answer, for: key)
    }
    return answer
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
