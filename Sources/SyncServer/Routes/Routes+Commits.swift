import HTTPTypes
import Hummingbird
import ListChanges
import ListDocuments
import ListModel
import SyncService

extension Routes {
  var commits: [Route] {
    [
      Route(
        method: .put, path: "/v1/lists/{list}",
        parameters: ["id", "new-ids", "items", "format", "duplicates"] + ofSnapshotsAndDeltas,
        access: .write, work: .commit
      ) { call in try await put(call) },
      Route(
        method: .patch, path: "/v1/lists/{list}", parameters: ofSnapshotsAndDeltas, access: .write,
        work: .commit
      ) { call in try await patch(call) },
      Route(
        method: .delete, path: "/v1/lists/{list}", parameters: ["author"], access: .write,
        work: .commit
      ) { call in try await drop(call) },
    ]
  }

  private var ofSnapshotsAndDeltas: [String] {
    ["author", "message", "base", "prefer"]
      + LimitedChange.allCases.flatMap { ["max-\($0)", "force-\($0)"] }
  }

  private func put(_ call: Call) async throws -> Answer {
    let list = try call.listName()
    let expected = try expectation(of: call, on: list)
    var options = try await readingOptions(call, of: list)
    let kind = try BodyKind(call.request.headers[.contentType])
    options.format = options.format ?? kind.format
    // Small requests find a free core.
    options.usesAllCores = false
    if kind.isTabbed { options.separator = UInt8(ascii: "\t") }
    let (reader, rule) = (SnapshotReader(options: options), options.idRule.text)
    return try await call.withBody(of: server) { bytes in
      let outline = try await reading(bytes) { try reader.outline(bytes).outline }
      var request = CommitRequest(list: list, .whole(outline))
      request.idRule = call.query["id"] == nil ? nil : rule
      request.allowsNewIDs = try call.query.flag("new-ids")
      return try await commit(request, expected, call)
    }
  }

  private func patch(_ call: Call) async throws -> Answer {
    let list = try call.listName()
    let expected = try expectation(of: call, on: list)
    try BodyKind.checkJSON(call.request.headers[.contentType])
    return try await call.withBody(of: server) { bytes in
      let document = try await reading(bytes) {
        try ChangesToCommit(bytes, limits: server.settings.limits)
      }
      let request = CommitRequest(
        list: list, .changes(document.changes, from: document.from, to: document.to))
      return try await commit(request, expected, call)
    }
  }

  /// Reads a body; a long one on a thread of its own.
  private func reading<Result: Sendable>(
    _ bytes: [UInt8], _ read: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    if bytes.count < LongWork.leastByteCount { return try read() }
    return try await LongWork.compute { _ in try read() }
  }

  private func drop(_ call: Call) async throws -> Answer {
    let (list, expected) = try condition(of: call)
    var request = DepartureRequest(list: list)
    request.expected = expected
    request.author = call.query["author"] ?? call.caller.name?.text
    let record = try await server.service(for: call.caller).drop(request)
    try? await server.headCache.refresh()
    return .json(caching: .never) { $0.members(of: record) }
  }

  /// Commits a request, and answers with its outcome.
  ///
  /// - Parameter isCreation: whether a new version is the creation of the request's resource.
  func commit(
    _ request: CommitRequest, _ expected: [Revision], _ call: Call,
    isCreation: (VersionRecord) -> Bool = { _ in true }
  ) async throws -> Answer {
    var request = request
    request.expected = expected
    request.author = call.query["author"] ?? call.caller.name?.text
    request.message = call.query["message"]
    for kind in LimitedChange.allCases {
      request.limits[kind] = try call.query.value("max-\(kind)", ChangeLimit.rule) {
        ChangeLimit($0)
      }
      if try call.query.flag("force-\(kind)") { request.forcedChanges.insert(kind) }
    }
    if call.query["base"] != nil {
      request.merging = .init(
        preferring: try call.query.value("prefer", "mine or theirs") { MergeSide(rawValue: $0) })
    }
    let outcome = try await server.service(for: call.caller).commit(request)
    // The author reads the new version from now on. If the cache cannot be read, it follows later;
    // the commit is kept in any case, and the answer says so.
    try? await server.headCache.show(outcome, of: request)
    var answer = Answer.json(caching: .never) { writer in
      writer.member("list", request.list.text)
      writer.members(of: outcome)
    }
    // The tag of a merged list would say that the caller has it (RFC 9110, 9.3.4).
    if case .merged = outcome {} else { answer.cursor = outcome.state.cursor }
    if let record = outcome.newRecord, isCreation(record) {
      answer.status = .created
      answer.location = Address.version(record.cursor, of: request.list)
    }
    return answer
  }

  /// The state that the caller has seen, as the headers name it.
  private func expectation(
    of call: Call, on list: ListName
  ) throws(Problem) -> [Revision] {
    let headers = call.request.headers
    let base = try call.query.value("base", "a version or a cursor such as 7-3f9a1c2b7d40") {
      Revision($0).flatMap { $0.version == nil ? nil : $0 }
    }
    if base == nil, call.query["prefer"] != nil {
      throw .invalid("prefer decides conflicts of a merge: name the base, too")
    }
    switch (headers[.ifMatch], headers[.ifNoneMatch]) {
    case (nil, nil):
      if let base { return [base] }
      throw Problem(
        kind: .preconditionRequired,
        detail: """
          name the version that you have seen: If-Match with the ETag of its answer, \
          If-None-Match: * for a new list, or base=CURSOR to merge with newer versions
          """,
        members: Problem.Members(snapshot: Address.list(list)))
    case _ where base != nil:
      throw .invalid("base merges with newer versions: leave out If-Match and If-None-Match")
    case (nil, let text?):
      guard EntityTagCondition(text) == .any else {
        throw .invalid("If-None-Match: a commit accepts only *")
      }
      return [.version(.zero)]
    case (let text?, nil): return try expectation(ifMatch: text, on: list)
    case (_?, _?): throw .invalid("If-Match and If-None-Match exclude each other")
    }
  }

  /// - Throws: `Problem` of type `invalid-request` if it is no list of entity tags;
  ///   `precondition-failed` if no state has one of its tags.
  func expectation(
    ifMatch text: String, on list: ListName
  ) throws(Problem) -> [Revision] {
    guard let condition = EntityTagCondition(text) else {
      throw .invalid("If-Match is not a list of entity tags: write them with their quotes")
    }
    // The commit compares them with the store: the cache may not show the newest version yet.
    if condition == .any { return [.head] }
    let cursors = condition.strongCursors
    if !cursors.isEmpty { return cursors.map { .cursor($0) } }
    let head = server.headCache.head(of: list)?.head
    // A weak tag, or one with a suffix of a proxy's own, still has the cursor.
    let cursor = text.firstMatch(of: /[0-9]+-[0-9a-f]{32}/).flatMap { Cursor(String($0.output)) }
    let advice =
      cursor.map { cursor in
        """
        not the tag that the server has sent: a proxy on the way has changed the answer, such as \
        one that compresses; send If-Match: \(EntityTag(cursor: cursor))
        """
      } ?? "no tag of a version: send the ETag of its answer"
    throw Problem(
      kind: .preconditionFailed,
      detail: """
        \(list) is at \(head?.cursor?.description ?? "no version yet"), and \(text.shortened) is \
        \(advice)
        """,
      members: Problem.Members(head: head?.cursor, snapshot: Address.list(list)))
  }

  /// How a list is read from the body: by the request's parameters and the list's id rule.
  func readingOptions(_ call: Call, of list: ListName) async throws -> SnapshotOptions {
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
}
