import HTTPTypes
import ListDocuments
import ListModel
import SyncService

extension Routes {
  var lists: [Route] {
    [
      Route(method: .get, path: "/v1/lists", access: .anyone) { call in
        lists(server.board.heads.filter { call.caller.mayRead($0.name) })
      },
      Route(method: .get, path: "/v1/lists/{list}/tags", access: .read) { call in
        let entries = try await server.service.tags(of: call.listName())
        return Answer.json(lines: entries) { $0.members(of: $1) }
      },
    ]
  }

  private func lists(_ lists: [ListSummary]) -> Answer {
    Answer.json { writer in
      writer.array("lists") { writer in
        for list in lists {
          writer.lineBreak()
          writer.object { $0.members(of: list) }
        }
      }
      writer.lineBreak()
      writer.object("limits") { writer in
        for limit in Limit.allCases {
          writer.member(limit.rawValue, server.settings.limits[limit])
        }
        writer.member("body-bytes", server.settings.bodyByteLimit)
        writer.member("wait-seconds", server.settings.longestWaitSeconds)
      }
    }
  }
}
