import HTTPTypes
import ListDocuments
import ListModel
import SyncService

extension Routes {
  var histories: [Route] {
    [
      Route(
        method: .get, path: "/v1/lists/{list}/versions", parameters: ["before", "limit", "groups"],
        access: .read
      ) { call in try await log(call) },
      Route(
        method: .get, path: "/v1/lists/{list}/items/{item}/history",
        parameters: ["limit"], access: .read
      ) { call in try await history(of: ItemID(call.pathValue("item")), call) },
      // An id in the query may be `.` or `..`, which URL parsers remove from a path, also when they
      // are escaped.
      Route(
        method: .get, path: "/v1/lists/{list}/history", parameters: ["item", "limit"], access: .read
      ) { call in
        guard let id = call.query["item"], !id.isEmpty else {
          throw Problem.invalid("name an item: item=ID")
        }
        return try await history(of: ItemID(id), call)
      },
      Route(method: .get, path: "/v1/lists/{list}/prunings", access: .read) { call in
        let records = try await server.service.prunes(of: call.listName())
        return Answer.json(lines: records) { $0.members(of: $1) }
      },
    ]
  }

  private func log(_ call: Call) async throws -> Answer {
    let list = try call.listName()
    let before = try call.query.value("before", "a version") { Version(text: $0) }
    if let count = try call.query.number("groups", in: 1...1000) {
      guard call.query["limit"] == nil else { throw Problem.invalid("'groups' excludes 'limit'") }
      return try await groupedLog(of: list, before: before, groupCount: count)
    }
    let limit = try limit(of: call)
    // Reads one version more than the answer shows, to find out whether another page follows.
    let records = try await server.service.log(of: list, before: before, limit: limit + 1)
    var answer = Answer.json(lines: records.prefix(limit)) { $0.members(of: $1) }
    if records.count > limit, let last = records.dropLast().last {
      let next = Address.versions(of: list, before: last.version, count: limit)
      answer.headers[.link] = "<\(next)>; rel=\"next\""
    }
    return answer
  }

  private func history(of id: ItemID, _ call: Call) async throws -> Answer {
    let list = try call.listName()
    let entries = try await server.service.history(of: id, in: list, limit: limit(of: call))
    return Answer.json(lines: entries) { $0.members(of: $1) }
  }

  private func limit(of call: Call) throws(Problem) -> Int {
    try call.query.number("limit", in: 1...1000) ?? 50
  }
}
