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
        parameters: ["since", "to", "as", "fallback", "smaller", "limit", "wait"], access: .read,
        work: .shared
      ) { call in
        let query = try DeltaQuery(call, settings: server.settings)
        if try await wait(for: query, call) { try server.checkStillAdmitted(call.caller) }
        return try await answer(query, call)
      }
    ]
  }

  /// Returns when the list has another state than the caller, at the caller's turn; or when the
  /// time is over, the caller is no longer admitted, or the server ends.
  ///
  /// - Returns: whether it waited.
  /// - Throws: `ClientHasGone`.
  private func wait(for query: DeltaQuery, _ call: Call) async throws -> Bool {
    guard let wait = query.wait, wait > .zero,
      let head = server.headCache.head(of: query.list)?.head.cursor
    else { return false }
    let known = query.request.since.names(head) ? head : nil
    try await call.whileClientWaits {
      _ = await cancelWhenGracefulShutdown {
        await server.headCache.wait(
          for: query.list, otherThan: known, timeout: wait, caller: call.caller)
      }
      try Task.checkCancellation()
    }
    return true
  }

  private func answer(_ query: DeltaQuery, _ call: Call) async throws -> Answer {
    let key = server.cacheKey(of: query.list, query.normalForm, query.isSettled)
    if let answer = server.cache.keptAnswer(for: key) { return answer }
    return try await call.whileClientWaits {
      try await server.cache.answer(for: key) {
        let (plan, made) = try await server.service.catchUp(
          query.request, upTo: LargeAnswerLimiter.leastItemCount)
        guard let made else { return try await longAnswer(by: plan, query, key) }
        server.keepLater(made)
        return query.made(query.body(made.answer), DeltaRange(made.answer), key)
      }
    }
  }

  /// A long answer, whose body every request with its plan gets.
  private func longAnswer(
    by plan: CatchUpPlan, _ query: DeltaQuery, _ key: AnswerCache.Key?
  ) async throws -> AnswerCache.Made {
    do {
      let body = try await server.cache.answer(for: query.key(of: plan)) {
        try await server.answerLimiter.make {
          let made = try await server.service.catchUp(by: plan)
          server.keepLater(made)
          try Task.checkCancellation()
          return AnswerCache.Made(answer: query.body(made.answer), isOfKey: true)
        }
      }
      return query.made(body, DeltaRange(plan, body), key, isKeptElsewhere: true)
    } catch let error as ServiceError where error.isOfAnotherHistory {
      // The list was pruned, or began again, since the plan was made: the request may have another
      // answer now.
      return try await server.answerLimiter.make {
        let answer = try await server.service.catchUp(query.request)
        return query.made(query.body(answer), DeltaRange(answer), key)
      }
    }
  }
}

extension ServiceError {
  /// Whether a version is not, or no longer, one of the list.
  var isOfAnotherHistory: Bool {
    switch self {
    case .tooOld, .diverged: true
    default: false
    }
  }
}

extension SyncServer {
  /// Keeps the changes of an answer which goes out meanwhile.
  fileprivate func keepLater(_ made: MadeCatchUp) {
    if made.isWorthKeeping { Task { await service.keep(made) } }
  }
}

/// The states between which an answer leads.
struct DeltaRange: Sendable {
  let from: ListState?
  let to: ListState
  /// Whether the request wants versions after ``to``.
  let hasMore: Bool
  /// Whether the answer is the list at ``to``, and not the changes to it.
  let isWhole: Bool

  init(_ made: CatchUpAnswer<Delta>) {
    switch made {
    case .changes(let delta):
      (from, to, hasMore, isWhole) = (delta.from, delta.to, delta.more, false)
    case .snapshot(let delta): (from, to, hasMore, isWhole) = (delta.from, delta.to, false, true)
    }
  }

  /// - Parameter body: the answer made by the plan.
  init(_ plan: CatchUpPlan, _ body: Answer) {
    from = plan.from
    // Only a whole list has a variant, before it gets its headers.
    isWhole = body.variant != nil
    if case .smaller(let wanted) = plan.form, isWhole {
      (to, hasMore) = (wanted, false)
    } else {
      (to, hasMore) = (plan.to, plan.hasMore)
    }
  }
}

/// The parameters of a request for a delta.
struct DeltaQuery: Sendable {
  let list: ListName
  let request: CatchUpRequest
  let rendering: Rendering?
  /// How long to wait for a new version; nil to answer at once.
  let wait: Duration?
  /// Signs the end of the answer; nil for an answer without a signature. One whose address names
  /// its end has none: it never changes, and a key may.
  let signer: HeadSigner?

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
    signer = rendering == nil && !request.to.isPinned ? settings.signer : nil
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

  /// The key of a long answer, under which all requests with its plan find it.
  func key(of plan: CatchUpPlan) -> AnswerCache.Key {
    let cursors = [plan.from, plan.form.wanted].map { $0?.cursor?.description ?? "none" }
    let signed = signer == nil ? "" : " signed"
    let form = "\(plan.form.name) \(rendering?.rawValue ?? "plain") \(plan.hasMore)\(signed)"
    return AnswerCache.Key(
      request: "\(list) delta \(cursors) \(form)", head: plan.to.knownCursor,
      oldest: plan.oldest)
  }

  /// The bytes of an answer, with the tag of a whole list.
  func body(_ made: CatchUpAnswer<Delta>) -> Answer {
    switch made {
    case .changes(let delta): return .json(rendering?.encode(delta) ?? encode(delta))
    case .snapshot(var delta):
      delta.note = signer?.note(of: list, at: delta.to)
      var answer = Answer.json(delta.encoded(.line))
      // It names the oldest version and a reason, which the cursor does not determine.
      answer.addVariantOfBytes()
      return answer
    }
  }

  /// An answer as this request gets it.
  ///
  /// - Parameter key: the key of the request; nil if its answer is not kept.
  func made(
    _ body: Answer, _ range: DeltaRange, _ key: AnswerCache.Key?, isKeptElsewhere: Bool = false
  ) -> AnswerCache.Made {
    // If the head moved while the store was read, the answer belongs to another key.
    let isOfKey = request.to != .head || range.to.cursor == key?.head || range.hasMore
    return AnswerCache.Made(
      answer: answer(body, range), isOfKey: isOfKey, isKeptElsewhere: isKeptElsewhere)
  }

  private func answer(_ body: Answer, _ range: DeltaRange) -> Answer {
    var answer = body
    answer.cursor = range.to.cursor
    if range.isWhole { return answer }
    if rendering == .jsonPatch { answer.mediaType = JSONPatch<Item>.mediaType }
    if let since = range.from?.cursor, let to = range.to.cursor {
      // A page says that more follows, which the same range alone would not.
      if range.hasMore {
        let target = request.to == .head ? "" : "&to=\(PercentEncoding.encode("\(request.to)"))"
        answer.next = "\(Address.list(list))/delta?since=\(to)\(target)\(rest)"
      } else if signer == nil {
        answer.permanent = Address.delta(of: list, since: since, to: to, rest: rest)
      }
    }
    if isPinned(range) { answer.caching = .immutable }
    if !isDetermined(range) { answer.addVariantOfBytes() }
    return answer
  }

  /// Whether the address and the delta's target determine the bytes. The cursor of a page does not
  /// say that more follows, and a signature may be that of another key. A tag, a date, or a number
  /// above the target may name another start later.
  private func isDetermined(_ range: DeltaRange) -> Bool {
    if range.hasMore || signer != nil { return false }
    if range.from == range.to { return true }
    return switch request.since {
    case .cursor: true
    case .version(let version): version <= range.to.cursor?.version ?? .zero
    case .head, .date, .tag: false
    }
  }

  /// Whether the answer never changes. The end of the first page from the empty list depends on the
  /// versions that were pruned.
  private func isPinned(_ range: DeltaRange) -> Bool {
    guard request.since.isPinned, request.to.isPinned else { return false }
    return !range.hasMore || request.since.version != .zero
  }

  /// Leaves out the oldest version, which may rise: the delta between two cursors always has the
  /// same bytes.
  private func encode(_ delta: Delta) -> [UInt8] {
    var document = DeltaDocument(delta)
    document.oldest = nil
    document.note = signer?.note(of: list, at: delta.to)
    return document.encoded(.line)
  }
}

extension CatchUpPlan.Form {
  fileprivate var name: String {
    switch self {
    case .changes: "changes"
    case .smaller: "smaller"
    case .whole(let reason): reason.rawValue
    }
  }

  /// The state of a list that may be the answer in place of changes to another state.
  fileprivate var wanted: ListState? {
    if case .smaller(let wanted) = self { wanted } else { nil }
  }
}
