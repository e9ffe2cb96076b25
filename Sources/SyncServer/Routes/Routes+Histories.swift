import HTTPTypes
import ListDocuments
import ListModel
import ListStore
import SyncService

extension Routes {
  var histories: [Route] {
    [
      Route(
        method: .get, path: "/v1/lists/{list}/versions", parameters: ["before", "limit", "groups"],
        access: .read, work: .shared
      ) { call in try await log(call) },
      Route(
        method: .get, path: "/v1/lists/{list}/items/{item}/history",
        parameters: ["before", "limit"], access: .read, work: .shared
      ) { call in try await history(call) },
      Route(
        method: .get, path: "/v1/lists/{list}/history", parameters: ["item", "before", "limit"],
        access: .read, work: .shared
      ) { call in try await history(call) },
      Route(
        method: .get, path: "/v1/lists/{list}/items/{item}/places",
        parameters: ["first", "before", "limit"], access: .read, work: .shared
      ) { call in try await places(call) },
      Route(
        method: .get, path: "/v1/lists/{list}/places",
        parameters: ["item", "first", "before", "limit"], access: .read, work: .shared
      ) { call in try await places(call) },
      Route(method: .get, path: "/v1/lists/{list}/prunings", access: .read, work: .shared) { call in
        let records = try await server.service.prunes(of: call.listName())
        return Answer.json(lines: records) { $0.members(of: $1) }
      },
    ]
  }

  private func log(_ call: Call) async throws -> Answer {
    let list = try call.listName()
    let before = try before(of: call)
    if let count = try call.query.number("groups", in: 1...1000) {
      guard call.query["limit"] == nil else { throw Problem.invalid("'groups' excludes 'limit'") }
      return try await groupedLog(of: list, before: before, groupCount: count)
    }
    let limit = try limit(of: call)
    // Reads one version more than the answer shows, to find out whether another page follows.
    let records = try await server.service.log(of: list, before: before, limit: limit + 1)
    var answer = Answer.json(lines: records.prefix(limit)) { $0.members(of: $1) }
    if records.count > limit, let last = records.dropLast().last {
      answer.next = Address.versions(of: list, before: last.version, count: limit)
    }
    return answer
  }

  private func history(_ call: Call) async throws -> Answer {
    let (list, id) = (try call.listName(), try call.itemID())
    let limit = try limit(of: call)
    // One change more than the answer shows, to find out whether another page follows.
    let entries = try await server.service.history(
      of: id, in: list, before: before(of: call), limit: limit + 1)
    var answer = Answer.json(lines: entries.prefix(limit)) { $0.members(of: $1) }
    if entries.count > limit, let last = entries.dropLast().last {
      let query = "before=\(last.record.version)&limit=\(limit)"
      answer.next = Self.address("history", of: id, in: list, query)
    }
    return answer
  }

  /// The places of an item as runs of versions, newest first.
  private func places(_ call: Call) async throws -> Answer {
    let (list, id) = (try call.listName(), try call.itemID())
    let first = try call.query.number("first", in: 1...Int(Int32.max))
    let before = try before(of: call)
    let limit = try limit(of: call)
    let query = "\(first.map { "\($0)" } ?? "") \(before.map { "\($0)" } ?? "") \(limit)"
    let key = server.cacheKey(of: list, "places \(query) \(id.text)", true)
    if let answer = server.cache.keptAnswer(for: key) { return answer }
    return try await server.cache.answer(for: key) {
      // One run more than the answer shows, to find out whether another page follows.
      let (state, runs) = try await server.service.places(
        of: id, in: list, first: first, before: before, limit: limit + 1)
      var answer = Answer.json(lines: runs.prefix(limit)) { $0.members(of: $1) }
      answer.cursor = state.cursor
      // Pruning changes the answer, and not the cursor of the head.
      answer.addVariantOfBytes()
      if runs.count > limit, let last = runs.dropLast().last {
        answer.next = Self.address(
          "places", of: id, in: list,
          (first.map { "first=\($0)&" } ?? "")
            + "before=\(last.versions.lowerBound)&limit=\(limit)")
      }
      return AnswerCache.Made(answer: answer, isOfKey: state.cursor == key?.head)
    }
  }

  /// An address that names an item in its query, which works for every id.
  private static func address(
    _ subject: String, of id: ItemID, in list: ListName, _ query: String
  ) -> String {
    "\(Address.list(list))/\(subject)?item=\(PercentEncoding.encode(id.text))&\(query)"
  }

  private func before(of call: Call) throws(Problem) -> Version? {
    try call.query.value("before", "a version") { Version(text: $0) }
  }

  private func limit(of call: Call) throws(Problem) -> Int {
    try call.query.number("limit", in: 1...1000) ?? 50
  }
}
