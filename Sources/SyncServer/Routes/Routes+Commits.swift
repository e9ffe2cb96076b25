import HTTPTypes
import Hummingbird
import ListDocuments
import ListModel
import SyncService

extension Routes {
  var commits: [Route] {
    [
      Route(
        method: .put, path: "/v1/lists/{list}",
        parameters: ["id", "items", "format", "duplicates", "author", "message"], access: .write
      ) { call in try await put(call) },
      Route(
        method: .patch, path: "/v1/lists/{list}", parameters: ["author", "message"], access: .write
      ) { call in try await patch(call) },
    ]
  }

  private func put(_ call: Call) async throws -> Answer {
    let list = try call.listName()
    let expected = try expectation(of: call, on: list)
    var options = try await readingOptions(call, of: list)
    let kind = try BodyKind(call.request.headers[.contentType])
    options.format = options.format ?? kind.format
    if kind.isTabbed { options.separator = UInt8(ascii: "\t") }
    let reader = SnapshotReader(options: options)
    return try await call.withBody(of: server) { bytes in
      var request = CommitRequest(list: list, snapshot: try snapshot(bytes, reader))
      request.expected = expected
      request.author = call.author
      request.message = call.query["message"]
      request.idRule = call.query["id"] == nil ? nil : options.idRule.text
      let outcome = try await server.service(for: call.caller).commit(request)
      return await answer(outcome, of: list)
    }
  }

  private func snapshot(
    _ bytes: [UInt8], _ reader: SnapshotReader
  ) throws(Problem) -> Snapshot {
    do {
      return try reader.read(bytes).snapshot
    } catch {
      throw Problem(error)
    }
  }

  private func patch(_ call: Call) async throws -> Answer {
    let list = try call.listName()
    let expected = try expectation(of: call, on: list)
    guard try BodyKind(call.request.headers[.contentType]).format ?? .json == .json else {
      throw Problem(
        kind: .unsupportedMediaType, detail: "a delta document is \(MediaTypes.json)")
    }
    return try await call.withBody(of: server) { bytes in
      let document = try delta(bytes)
      var request = CommitRequest(
        list: list, .changes(document.changes, from: document.from, to: document.to))
      request.expected = expected
      request.author = call.author
      request.message = call.query["message"]
      let outcome = try await server.service(for: call.caller).commit(request)
      return await answer(outcome, of: list)
    }
  }

  private func delta(_ bytes: [UInt8]) throws(Problem) -> DeltaDocument {
    do {
      return try DeltaDocument(bytes, limits: server.settings.limits)
    } catch {
      throw Problem(error)
    }
  }

  /// The state that the caller has seen, as the headers name it.
  private func expectation(
    of call: Call, on list: ListName
  ) throws(Problem) -> CommitRequest.Expectation? {
    let headers = call.request.headers
    switch (headers[.ifMatch], headers[.ifNoneMatch]) {
    case (nil, nil):
      throw Problem(
        kind: .preconditionRequired,
        detail: """
          name the version that you have seen: If-Match: "7-3f9a1c2b7d40", or If-None-Match: * for a \
          list that is not there yet
          """,
        members: Problem.Members(snapshot: Address.list(list)))
    case (nil, let text?):
      guard EntityTagCondition(text) == .any else {
        throw .invalid("If-None-Match: a commit takes * alone")
      }
      return .version(.zero)
    case (let text?, nil):
      return try expectation(ifMatch: text, on: list)
    case (_?, _?): throw .invalid("If-Match and If-None-Match exclude each other")
    }
  }

  private func expectation(
    ifMatch text: String, on list: ListName
  ) throws(Problem) -> CommitRequest.Expectation? {
    guard let condition = EntityTagCondition(text) else {
      throw .invalid("If-Match is not a list of entity tags: write them with their quotes")
    }
    let head = server.board.head(of: list)?.head
    if condition == .any {
      // Lists do not go away again, so that this holds when the commit begins, too.
      if head != nil { return nil }
    } else {
      let cursors = condition.strongCursors
      if cursors.count == 1 { return .cursor(cursors[0]) }
      if let cursor = head?.cursor, cursors.contains(cursor) { return .cursor(cursor) }
    }
    throw Problem(
      kind: .preconditionFailed,
      detail:
        "\(list) is at \(head?.cursor?.description ?? "no version yet"), not at \(text.shortened)",
      members: Problem.Members(head: head?.cursor, snapshot: Address.list(list)))
  }

  private func readingOptions(_ call: Call, of list: ListName) async throws -> SnapshotOptions {
    let query = call.query
    var options = SnapshotOptions(limits: server.settings.limits)
    options.items = try query.value("items", "a JSON Pointer such as /data") { JSONPointer($0) }
    options.format = try query.value("format", "json, ndjson or csv") { .init(rawValue: $0) }
    options.duplicates =
      try query.value("duplicates", "refuse, keep-first or keep-last") { .init(rawValue: $0) }
      ?? .refuse
    let fields = query.all("id")
    if !fields.isEmpty {
      do {
        options.idRule = try IDRule(fields)
      } catch {
        throw Problem.invalid("id: \(error)")
      }
    } else if let remembered = try await server.service.idRule(of: list) {
      options.idRule = IDRule(text: remembered) ?? .standard
    }
    return options
  }

  private func answer(_ outcome: CommitOutcome, of list: ListName) async -> Answer {
    // Whoever wrote reads what they wrote from now on. Where the board cannot be read it is a
    // moment late; the commit is kept all the same, and the answer says so.
    try? await server.board.refresh()
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("list", list.text)
      writer.members(of: outcome)
    }
    var answer = Answer.json(writer.bytes + "\n".utf8)
    answer.show(outcome.state)
    answer.caching = .never
    if case .committed(let record) = outcome {
      answer.status = .created
      answer.headers[.location] = Address.version(record.cursor, of: list)
    }
    return answer
  }
}

extension Call {
  /// Who commits: as the request says, else the token's name.
  fileprivate var author: String? { query["author"] ?? caller.name?.text }
}
