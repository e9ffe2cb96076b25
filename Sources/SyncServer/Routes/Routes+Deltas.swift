import HTTPTypes
import ListChanges
import ListDocuments
import ListModel
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

  /// Returns when the list is at another state than the caller's, or its time is over.
  ///
  /// - Returns: whether there was anything to wait for.
  private func wait(for question: DeltaQuestion) async throws -> Bool {
    guard let wait = question.wait, let head = server.board.head(of: question.list)?.head,
      let cursor = head.cursor, question.request.since.names(cursor)
    else { return false }
    await server.wait(for: question.list, otherThan: cursor, timeout: wait)
    return true
  }

  private func answer(_ question: DeltaQuestion) async throws -> Answer {
    let key = server.cacheKey(of: question.list, question.normalForm, question.isSettled)
    return try await server.cache.answer(for: key) {
      let made = try await server.service.catchUp(question.request)
      let answer = question.answer(made)
      // A head that moved on while the store was read belongs to another key.
      let isOfKey = question.request.to != .head || made.to.cursor == key?.head || made.isPage
      return AnswerCache.Made(answer: answer, isOfKey: isOfKey)
    }
  }
}

/// What a request for a delta asks.
struct DeltaQuestion: Sendable {
  let list: ListName
  let request: CatchUpRequest
  let rendering: Rendering?
  /// How long to wait for news; nil not to.
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
      throw .invalid("'wait' is for what follows the head: leave 'to' out")
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

  private var wanted: String {
    request.to == .head ? "" : "&to=\(PercentEncoding.encode(request.to.description))"
  }

  var normalForm: String { "delta \(request.since) \(request.to)\(rest)" }

  /// Whether the answer is the same for as long as the list stands at its head.
  var isSettled: Bool { request.since.isSettled && request.to.isSettled }

  func answer(_ made: CatchUpAnswer<Delta>) -> Answer {
    var answer: Answer
    switch made {
    case .changes(let delta):
      answer = .json(rendering?.encode(delta) ?? encode(delta))
      if rendering == .jsonPatch { answer.mediaType = JSONPatch<Item>.mediaType }
      answer.show(delta.to)
      if let since = delta.from.cursor, let to = delta.to.cursor {
        // A page says that more follows: the same range alone would not.
        if delta.more {
          let next = "\(Address.list(list))/delta?since=\(to)\(wanted)\(rest)"
          answer.headers[.link] = "<\(next)>; rel=\"next\""
        } else {
          answer.headers[.contentLocation] = Address.delta(
            of: list, since: since, to: to, rest: rest)
        }
      }
      if isPinned(delta) { answer.caching = .immutable }
      if !isTold(by: delta) { answer.tellApartByBytes() }
    case .snapshot(let delta):
      // It names the oldest version, and why it is no delta.
      answer = .json(delta.encoded(.line))
      answer.show(delta.to)
      answer.tellApartByBytes()
    }
    return answer
  }

  /// Whether the bytes follow from the address and the version that the delta leads to. A page does
  /// not say in its cursor that more follows; a tag, a date, or a number behind that version may
  /// come to mean another start.
  private func isTold(by delta: Delta) -> Bool {
    if delta.more { return false }
    if delta.from == delta.to { return true }
    return switch request.since {
    case .cursor: true
    case .version(let version): version <= delta.to.cursor?.version ?? .zero
    case .head, .date, .tag: false
    }
  }

  /// Whether the answer will never be another. How far the first page from the empty list goes
  /// depends on what was pruned.
  private func isPinned(_ delta: Delta) -> Bool {
    guard case .cursor(let since) = request.since, case .cursor = request.to else { return false }
    return !delta.more || since.version > .zero
  }

  /// Without the oldest version, which may rise: what lies between two cursors has the same bytes
  /// for ever.
  private func encode(_ delta: Delta) -> [UInt8] {
    var document = DeltaDocument(delta)
    document.oldest = nil
    return document.encoded(.line)
  }
}

extension CatchUpAnswer<Delta> {
  /// Whether more follows.
  fileprivate var isPage: Bool {
    if case .changes(let delta) = self { delta.more } else { false }
  }
}

extension Revision {
  /// Whether it surely names a state.
  fileprivate func names(_ cursor: Cursor) -> Bool {
    switch self {
    case .head(back: 0): true
    case .version(let version): version == cursor.version
    case .cursor(let named): named == cursor
    default: false
    }
  }
}
