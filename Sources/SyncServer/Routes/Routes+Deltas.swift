import HTTPTypes
import ListChanges
import ListDocuments
import ListModel
import ServiceLifecycle
import SyncService

extension Routes {
  var deltas: [Route] {
    [
      Route(
        method: .get, path: "/v1/lists/{list}/delta",
        parameters: ["since", "to", "as", "fallback", "smaller", "limit", "wait"], access: .read
      ) { call in
        let question = try DeltaQuestion(call, settings: server.settings)
        if try await wait(for: question) { try server.checkStillAdmitted(call.caller) }
        return try await answer(question)
      }
    ]
  }

  /// Returns when the list has another state than the caller, the time is over, or the server ends.
  ///
  /// - Returns: whether it waited.
  private func wait(for question: DeltaQuestion) async throws -> Bool {
    guard let wait = question.wait, let head = server.board.head(of: question.list)?.head,
      let cursor = head.cursor, question.request.since.names(cursor)
    else { return false }
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        _ = await server.board.wait(for: question.list, otherThan: cursor, timeout: wait)
      }
      group.addTask { try? await gracefulShutdown() }
      await group.next()
      group.cancelAll()
    }
    return true
  }

  private func answer(_ question: DeltaQuestion) async throws -> Answer {
    let key = server.cacheKey(of: question.list, question.normalForm, question.isSettled)
    return try await server.cache.answer(for: key) {
      let made = try await server.service.catchUp(question.request)
      var isPage = false
      if case .changes(let delta) = made { isPage = delta.more }
      // If the head moved while the store was read, the answer belongs to another key.
      return AnswerCache.Made(
        answer: question.answer(made),
        isOfKey: question.request.to != .head || made.to.cursor == key?.head || isPage)
    }
  }
}

/// The parameters of a request for a delta.
struct DeltaQuestion: Sendable {
  let list: ListName
  let request: CatchUpRequest
  let rendering: Rendering?
  /// How long to wait for a new version; nil to answer at once.
  let wait: Duration?

  init(_ call: Call, settings: ServerSettings) throws(Problem) {
    list = try call.listName()
    guard let since = try call.revision("since") else {
      throw .invalid("name the version that you have: since=7-3f9a1c2b7d40, or since=0 for none")
    }
    var request = CatchUpRequest(list: list, since: since)
    if let to = try call.revision("to") { request.to = to }
    request.changeLimit = try call.query.number("limit", in: 1...Int(Int32.max))
    request.fallsBack =
      try call.query.value("fallback", "'snapshot'") { $0 == "snapshot" ? true : nil } ?? false
    request.takesSmaller = try call.query.flag("smaller")
    self.request = request
    let forms = Rendering.allCases.map(\.rawValue).joined(separator: ", ")
    rendering = try call.query.value("as", "one of: \(forms)") { Rendering(rawValue: $0) }
    if rendering != nil, request.fallsBack || request.takesSmaller {
      throw .invalid("'as' has no form for a whole list: leave 'fallback' and 'smaller' out")
    }
    wait = try call.query.number("wait", in: 0...settings.longestWaitSeconds)
      .map { .seconds($0) }
    if wait != nil, request.to != .head {
      throw .invalid("'wait' is for the versions after the head: leave 'to' out")
    }
  }

  /// The parameters beside the versions, in their normal form.
  private var rest: String {
    var rest = ""
    if let rendering { rest += "&as=\(rendering.rawValue)" }
    if request.fallsBack { rest += "&fallback=snapshot" }
    if request.takesSmaller { rest += "&smaller=true" }
    if let limit = request.changeLimit { rest += "&limit=\(limit)" }
    return rest
  }

  var normalForm: String { "delta \(request.since) \(request.to)\(rest)" }

  /// Whether the answer stays the same until the list gets a new head.
  var isSettled: Bool { request.since.isSettled && request.to.isSettled }

  func answer(_ made: CatchUpAnswer<Delta>) -> Answer {
    switch made {
    case .changes(let delta): return answer(delta)
    case .snapshot(let delta):
      var answer = Answer.json(delta.encoded(.line))
      answer.cursor = delta.to.cursor
      // It names the oldest version and a reason, which the cursor does not determine.
      answer.addVariantOfBytes()
      return answer
    }
  }

  private func answer(_ delta: Delta) -> Answer {
    var answer = Answer.json(rendering?.encode(delta) ?? encode(delta))
    if rendering == .jsonPatch { answer.mediaType = JSONPatch<Item>.mediaType }
    answer.cursor = delta.to.cursor
    if let since = delta.from.cursor, let to = delta.to.cursor {
      // A page says that more follows, which the same range alone would not.
      if delta.more {
        let target = request.to == .head ? "" : "&to=\(PercentEncoding.encode("\(request.to)"))"
        let next = "\(Address.list(list))/delta?since=\(to)\(target)\(rest)"
        answer.headers[.link] = "<\(next)>; rel=\"next\""
      } else {
        answer.headers[.contentLocation] = Address.delta(of: list, since: since, to: to, rest: rest)
      }
    }
    if isPinned(delta) { answer.caching = .immutable }
    if !isDetermined(delta) { answer.addVariantOfBytes() }
    return answer
  }

  /// Whether the address and the delta's target determine the bytes. The cursor of a page does not
  /// say that more follows. A tag, a date, or a number above the target may name another start
  /// later.
  private func isDetermined(_ delta: Delta) -> Bool {
    if delta.more { return false }
    if delta.from == delta.to { return true }
    return switch request.since {
    case .cursor: true
    case .version(let version): version <= delta.to.cursor?.version ?? .zero
    case .head, .date, .tag: false
    }
  }

  /// Whether the answer never changes. The end of the first page from the empty list depends on the
  /// versions that were pruned.
  private func isPinned(_ delta: Delta) -> Bool {
    guard case .cursor(let since) = request.since, case .cursor = request.to else { return false }
    return !delta.more || since.version > .zero
  }

  /// Leaves out the oldest version, which may rise: the delta between two cursors always has the
  /// same bytes.
  private func encode(_ delta: Delta) -> [UInt8] {
    var document = DeltaDocument(delta)
    document.oldest = nil
    return document.encoded(.line)
  }
}

extension Revision {
  /// Whether it surely names this state.
  fileprivate func names(_ cursor: Cursor) -> Bool {
    switch self {
    case .head(back: 0): true
    case .version(let version): version == cursor.version
    case .cursor(let named): named == cursor
    default: false
    }
  }
}
