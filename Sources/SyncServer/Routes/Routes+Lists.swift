import HTTPTypes
import ListDocuments
import ListModel
import ListStore
import SyncService

extension Routes {
  var lists: [Route] {
    [
      Route(
        method: .get, path: "/v1/lists", parameters: ["prefix", "after", "limit"], access: .anyone,
        work: .bounded
      ) { call in try lists(call) },
      Route(method: .get, path: "/v1/lists/{list}/tags", access: .read, work: .own) { call in
        let entries = try await server.service.tags(of: call.listName())
        return Answer.json(lines: entries) { $0.members(of: $1) }
      },
    ]
  }

  private func lists(_ call: Call) throws(Problem) -> Answer {
    let limit = try call.query.number("limit", in: 1...1000) ?? 1000
    let after = try call.query.value("after", "the name of a list: \(ListName.rule)") {
      ListName($0)
    }
    let prefix = call.query["prefix"] ?? ""
    // One list more than the answer shows, to find out whether another page follows.
    let range = NameRange(prefix: prefix, after: after, limit: limit + 1)
    let found = server.headCache.heads(range, for: call.caller)
    var answer = answer(found.prefix(limit))
    if found.count > limit, let last = found.dropLast().last {
      // The beginning of a name needs no percent-encoding.
      let query = (prefix.isEmpty ? "" : "prefix=\(prefix)&") + "after=\(last.name)&limit=\(limit)"
      answer.next = "/v1/lists?\(query)"
    }
    return answer
  }

  private func answer(_ lists: some Sequence<ListSummary>) -> Answer {
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
