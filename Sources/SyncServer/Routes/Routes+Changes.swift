import HTTPTypes
import ListDocuments
import ListModel
import ServiceLifecycle
import SyncService

extension Routes {
  var changes: [Route] {
    [
      Route(
        method: .get, path: "/v1/changes", parameters: ["since", "wait", "limit"], access: .anyone,
        work: .bounded
      ) { call in
        let limit = try call.query.number("limit", in: 0...1000) ?? 1000
        let wait = try call.query.number("wait", in: 0...server.settings.longestWaitSeconds) ?? 0
        let found = try await call.whileClientWaits {
          let found = await changes(
            after: call.query["since"], limit: limit, for: call.caller, timeout: .seconds(wait))
          try Task.checkCancellation()
          return found
        }
        try server.checkStillAdmitted(call.caller)
        return answer(found)
      }
    ]
  }

  /// Ends the wait early when the server ends.
  private func changes(
    after mark: String?, limit: Int, for caller: Caller, timeout: Duration
  ) async -> HeadChanges {
    await withTaskGroup(of: HeadChanges?.self) { group in
      group.addTask {
        await server.headCache.changes(after: mark, limit: limit, for: caller, timeout: timeout)
      }
      group.addTask {
        try? await gracefulShutdown()
        return nil
      }
      defer { group.cancelAll() }
      if let found = await group.next() ?? nil { return found }
      return await server.headCache.changes(after: mark, limit: limit, for: caller)
    }
  }

  private func answer(_ changes: HeadChanges) -> Answer {
    var answer = Answer.json { writer in
      writer.member("mark", changes.mark)
      writer.member("all", changes.isAll)
      writer.member("more", changes.hasMore)
      writer.array("lists") { writer in
        for list in changes.lists {
          writer.lineBreak()
          writer.object { $0.members(of: list) }
        }
      }
      writer.lineBreak()
      writer.array("gone") { writer in
        for name in changes.gone { writer.string(name.text) }
      }
    }
    answer.caching = .never
    return answer
  }
}
