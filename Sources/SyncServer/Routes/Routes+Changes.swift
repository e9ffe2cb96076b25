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
          // The end of the server ends the wait.
          let found = await cancelWhenGracefulShutdown {
            await server.headCache.changes(
              after: call.query["since"], limit: limit, for: call.caller, timeout: .seconds(wait))
          }
          try Task.checkCancellation()
          return found
        }
        try server.checkStillAdmitted(call.caller)
        return answer(found)
      }
    ]
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
