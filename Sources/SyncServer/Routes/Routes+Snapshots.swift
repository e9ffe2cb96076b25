import HTTPTypes
import Hummingbird
import ListDocuments
import ListModel
import SyncService

extension Routes {
  var snapshots: [Route] {
    [
      Route(method: .get, path: "/v1/lists/{list}", access: .read, work: .shared) { call in
        let list = try call.listName()
        var answer: Answer
        if let unchanged = unchangedHead(of: list, call) {
          answer = unchanged
        } else {
          answer = try await snapshot(of: list, at: .head, call)
        }
        // Not part of a cached answer: a commit can change the rule alone.
        answer.headers[.listIDRule] = Self.idRule(server.headCache.head(of: list)?.idRule)
        return answer
      },
      Route(
        method: .get, path: "/v1/lists/{list}/versions/{revision}", access: .read, work: .shared
      ) { call in
        let text = try call.pathValue("revision")
        guard let revision = Revision(text) else {
          throw Problem.invalid("'\(text.shortened)' is not one of: \(Revision.forms)")
        }
        return try await snapshot(of: call.listName(), at: revision, call)
      },
    ]
  }

  /// A rule as the parameters with which PUT takes it: `id=title&id=year`.
  private static func idRule(_ text: String?) -> String {
    let rule = text.flatMap { IDRule(text: $0) } ?? .standard
    return rule.specifications.map { "id=\(PercentEncoding.encode($0))" }.joined(separator: "&")
  }

  private func snapshot(
    of list: ListName, at revision: Revision, _ call: Call
  ) async throws -> Answer {
    let key = server.cacheKey(of: list, "snapshot \(revision)", revision.isSettled)
    if let answer = server.cache.keptAnswer(for: key) { return answer }
    return try await call.whileClientWaits {
      try await server.cache.answer(for: key) {
        let (state, snapshot) = try await server.service.snapshot(
          of: list, at: revision, upTo: LargeAnswerLimiter.leastItemCount)
        func made(_ body: Answer, _ state: ListState, isKeptElsewhere: Bool) -> AnswerCache.Made {
          var answer = body
          answer.cursor = state.cursor
          if let cursor = state.cursor {
            answer.permanent = Address.version(cursor, of: list)
          }
          if revision.isPinned { answer.caching = .immutable }
          // If the head moved while it was read, the answer belongs to another key.
          return AnswerCache.Made(
            answer: answer, isOfKey: revision != .head || answer.cursor == key?.head,
            isKeptElsewhere: isKeptElsewhere)
        }
        if let snapshot {
          return made(.json(SnapshotDocument.encode(snapshot)), state, isKeptElsewhere: false)
        }
        do {
          return made(try await longSnapshot(of: list, at: state), state, isKeptElsewhere: true)
        } catch let error as ServiceError where error.isOfAnotherHistory {
          // The version was pruned, or the list began again, since the revision was looked up: it
          // may name another version now.
          return try await server.answerLimiter.make {
            let (state, snapshot) = try await server.service.snapshot(of: list, at: revision)
            return made(.json(SnapshotDocument.encode(snapshot)), state, isKeptElsewhere: false)
          }
        }
      }
    }
  }

  /// A whole list, which every name of its version leads to. Its headers are those of any request.
  private func longSnapshot(of list: ListName, at state: ListState) async throws -> Answer {
    guard let cursor = state.cursor else { preconditionFailure("a stored state has a cursor") }
    let key = AnswerCache.Key(request: "\(list) whole", head: cursor, oldest: .zero)
    return try await server.cache.answer(for: key) {
      try await server.answerLimiter.make {
        let snapshot = try await server.service.snapshot(of: list, at: .cursor(cursor)).snapshot
        try Task.checkCancellation()
        return AnswerCache.Made(answer: .json(SnapshotDocument.encode(snapshot)), isOfKey: true)
      }
    }
  }

  /// The answer to a caller who has the head already, made without reading the list; nil for other
  /// callers.
  private func unchangedHead(of list: ListName, _ call: Call) -> Answer? {
    guard let text = call.request.headers[.ifNoneMatch],
      let cursor = server.headCache.head(of: list)?.head.cursor,
      EntityTagCondition(text)?.matches(EntityTag(cursor: cursor)) ?? false
    else { return nil }
    return Answer(
      permanent: Address.version(cursor, of: list), mediaType: MediaTypes.json, cursor: cursor)
  }
}

extension Revision {
  /// Whether it names the same version until the list gets a new head.
  var isSettled: Bool {
    switch self {
    case .head, .version, .cursor: true
    case .date, .tag: false
    }
  }
}
