import ListDocuments
import ListModel

/// The files of a publication (``/ListDocuments/PublicationHead``) on any web server, object store
/// or CDN.
///
/// It gets the head, then the fewest deltas that lead to it, the last one first, since the start of
/// each names the one before it; or the whole list where that has fewer bytes. A watch looks at the
/// head again as soon as its lifetime is over (`max-age`). The head may come from a cache that is
/// behind, and name files that are gone, or be older than the copy: then it is asked for again, and
/// after ``tryLimit`` tries the replica starts over. A file whose content does not belong to its
/// name is requested again at once, past caches.
///
/// For one replica.
actor PublicationOrigin: ReplicaOrigin {
  /// The number of tries in a row before the replica starts over.
  static let tryLimit = 3
  /// The wait before another try, if no response says how long the head stays valid.
  static let patienceSeconds = 10.0
  /// The most bytes of the deltas of a way together, which are kept until they are applied.
  static let wayByteLimit = TransportOptions().byteLimit

  private let files: any FileTransport
  private let clock: ReplicaClock
  private var known: KnownHead?
  private var failureCount = 0
  /// Whether caches are asked for what the web server has now.
  private var doubtsCaches = false
  private var received = ReceivedDeltas()

  init(_ files: any FileTransport, clock: ReplicaClock = .system) {
    (self.files, self.clock) = (files, clock)
  }

  enum Finding: Sendable {
    case there
    case notThere
    /// The response is an HTML page: that of a network login, or of an app beside a server.
    case page(contentType: String)
    /// The search failed for now.
    case failed(ReplicaAnswer)
  }

  /// Looks whether a list has a publication, and keeps its head for the next request.
  func find(_ list: ListName) async -> Finding {
    do {
      let response = try await get(PublicationHead.fileName, of: list)
      guard response.status == 200 else {
        let answer = ReplicaAnswer.refusal(response, of: list)
        if case .unavailable = answer { return .failed(answer) }
        return .notThere
      }
      if let type = response.htmlType { return .page(contentType: type) }
      guard PublicationHead.isHead(response.body) else { return .notThere }
      known = try knownHead(response)
      return .there
    } catch let refusal as Refusal {
      return .failed(refusal.answer)
    } catch let error as DeltaError {
      return .failed(ReplicaAnswer(error))
    } catch {
      return .failed(ReplicaAnswer(error))
    }
  }

  func answer(
    to request: ReplicaRequest, from copy: ListState, limits: Limits
  ) async -> ReplicaAnswer {
    do {
      doubtsCaches = request.purpose == .startOver
      let head = try await head(for: request)
      guard head.list == request.list else { throw Refusal(.damaged(.otherList(head.list))) }
      let answer =
        if case .prove(let cursor) = request.purpose {
          try await header(of: cursor, head, limits)
        } else {
          try await document(after: copy, head, limits)
        }
      failureCount = 0
      return answer
    } catch let refusal as Refusal {
      return refusal.answer
    } catch let cause as StalePublication {
      return failed(cause, request)
    } catch let error as DeltaError {
      return ReplicaAnswer(error)
    } catch {
      return ReplicaAnswer(error)
    }
  }

  /// Asks the replica to try later, or to start over.
  private func failed(_ cause: StalePublication, _ request: ReplicaRequest) -> ReplicaAnswer {
    known?.isOutdated = true
    failureCount += 1
    let mayStartOver =
      switch request.purpose {
      case .catchUp, .watch: true
      case .startOver, .prove, .commit: false
      }
    if failureCount >= Self.tryLimit, mayStartOver, let reason = cause.reasonToStartOver {
      failureCount = 0
      return .noDelta(reason)
    }
    let rest = known?.secondsLeft(at: clock.now()) ?? Self.patienceSeconds
    return .unavailable(.behind(reason: cause.reason), retryAfterSeconds: rest)
  }
}

// MARK: The head

extension PublicationOrigin {
  /// The last head that was received, and how long it stays valid.
  private struct KnownHead {
    static let highestLifetimeSeconds = 3600.0

    let head: PublicationHead
    let entityTag: String?
    /// The time until the head may have changed; nil if no response says it.
    var lifetimeSeconds: Double?
    var since: Double
    /// Whether no request has used it.
    var isNew = true
    var isOutdated = false
    /// The state to which the last answer on the way to this head leads.
    var reached: Cursor?
    /// The deltas from there to this head that were received, the last one first.
    var way: [DeltaDocument] = []

    /// - Throws: `DeltaError`.
    init(_ response: ReplicaResponse, since: Double) throws(DeltaError) {
      head = try PublicationHead(response.body)
      entityTag = response.headers["etag"]
      lifetimeSeconds = Self.lifetimeSeconds(response)
      self.since = since
    }

    /// Handles a response without news.
    mutating func renew(_ response: ReplicaResponse, since: Double) {
      lifetimeSeconds = Self.lifetimeSeconds(response) ?? lifetimeSeconds
      (self.since, isNew, isOutdated) = (since, true, false)
    }

    /// The rest of the lifetime; nil if no response says it.
    func secondsLeft(at now: Double) -> Double? {
      lifetimeSeconds.map { max(1, since + $0 - now) }
    }

    /// The rest of `max-age` (RFC 9111, sections 4.2 and 5.1); nil where there is none.
    private static func lifetimeSeconds(_ response: ReplicaResponse) -> Double? {
      let directives = response.headers["cache-control"]?.lowercased().split(separator: ",") ?? []
      let ages = directives.compactMap { directive -> Int? in
        let parts = directive.split(separator: "=").map { $0.filter { $0 != " " && $0 != "\"" } }
        return parts.count == 2 && parts[0] == "max-age" ? Int(parts[1]) : nil
      }
      guard let age = ages.first, age > 0 else { return nil }
      let passed = max(response.headers["age"].flatMap { Int($0) } ?? 0, 0)
      return min(max(Double(age - passed), 1), highestLifetimeSeconds)
    }
  }

  /// The head to which a request leads: the last one until the copy has reached it.
  private func head(for request: ReplicaRequest) async throws -> PublicationHead {
    if let known, !known.isOutdated {
      let isOnTheWay =
        switch request.purpose {
        case .catchUp:
          known.reached == request.since && known.head.head.cursor != request.since
        case .prove: true
        case .startOver, .watch, .commit: false
        }
      if known.isNew || isOnTheWay {
        self.known?.isNew = false
        return known.head
      }
      if case .watch(let seconds) = request.purpose { try await waitForNews(known, seconds) }
    }
    var headers: [(name: String, value: String)] = []
    if let tag = known?.entityTag { headers.append((name: "If-None-Match", value: tag)) }
    let response = try await get(PublicationHead.fileName, of: request.list, headers)
    switch response.status {
    case 304 where known != nil: known?.renew(response, since: clock.now())
    case 200:
      if let type = response.htmlType { throw Unavailability.notFromServer(contentType: type) }
      var new = try knownHead(response)
      if new.head == known?.head { new.reached = known?.reached }
      known = new
    case let status where Self.isMissing(status):
      throw Refusal(.refused(.noSuchList(request.list, detail: "its publication is gone")))
    default: throw Refusal(.refusal(response, of: request.list))
    }
    known?.isNew = false
    guard let head = known?.head else { throw StalePublication("its head is missing") }
    return head
  }

  private func knownHead(_ response: ReplicaResponse) throws -> KnownHead {
    if let end = try PublicationEnd(response.body) {
      throw Refusal(.refused(.gone(end.list, newName: end.newName, detail: nil)))
    }
    return try KnownHead(response, since: clock.now())
  }

  private func waitForNews(_ known: KnownHead, _ waitSeconds: Int) async throws {
    let lifetime = known.lifetimeSeconds ?? Double(waitSeconds)
    // A random delay, so that clients which read the head together do not return together.
    let due = known.since + lifetime * (1 + clock.random() / 10)
    let rest = due - clock.now()
    if rest > 0 { try await clock.sleep(rest) }
  }
}

// MARK: The files

extension PublicationOrigin {
  /// An answer that ends the work on a request.
  private struct Refusal: Error {
    let answer: ReplicaAnswer
    init(_ answer: ReplicaAnswer) { self.answer = answer }
  }

  /// A file that is missing, or older than another one.
  private struct StalePublication: Error {
    let reason: String
    /// The reason to start over; nil if starting over does not help.
    let reasonToStartOver: WholeListReason?

    init(_ reason: String, startingOver: WholeListReason? = .tooOld) {
      (self.reason, reasonToStartOver) = (reason, startingOver)
    }
  }

  /// The way to the head, or the first part of it.
  private func document(
    after copy: ListState, _ head: PublicationHead, _ limits: Limits
  ) async throws -> ReplicaAnswer {
    let (start, end) = (copy.version, head.head.version)
    if copy.cursor == head.head.cursor { return .changes(nothing(new: head)) }
    if start > end {
      throw StalePublication(
        "its head is version \(end), and this copy has version \(start)", startingOver: .diverged)
    }
    if start == end { return .noDelta(.diverged) }
    if start == .zero { return try await whole(copy, .first, head, limits) }
    if start < head.oldest { return try await whole(copy, .tooOld, head, limits) }
    if head.wholeIsSmaller(from: start) { return try await whole(copy, .smaller, head, limits) }
    if known?.way.last?.from.cursor != copy.cursor {
      let way = try await way(from: start, to: head, limits)
      known?.way = way
    }
    guard var delta = known?.way.popLast() else {
      throw StalePublication("its head names no way from version \(start)")
    }
    guard delta.from.cursor == copy.cursor else {
      known?.way = []
      // The copy came on the way to this head, so the head contradicts itself.
      if known?.reached == copy.cursor {
        throw StalePublication(
          "its head is not of the history of its whole list", startingOver: nil)
      }
      return .noDelta(.diverged)
    }
    delta.more = delta.to.cursor != head.head.cursor
    // Ignore a note in the file itself: it is not the note of the head.
    delta.note = delta.more ? nil : head.note
    known?.reached = delta.to.cursor
    return .changes(delta)
  }

  /// A document without changes, with the note of the head.
  private func nothing(new head: PublicationHead) -> DeltaDocument {
    let count = head.head.count
    var document = DeltaDocument(
      list: head.list, from: head.head, to: head.head, oldest: head.oldest,
      changes: BareChanges(
        oldCount: count, newCount: count, removed: [], moved: [], inserted: [], updated: []))
    document.note = head.note
    return document
  }

  /// The deltas from a version to a head, the last one first; none if the head names no way.
  private func way(
    from start: Version, to head: PublicationHead, _ limits: Limits
  ) async throws -> [DeltaDocument] {
    let ranges = head.ranges.way(
      from: start, to: head.head.version, countLimit: PublicationHead.longestWay + 1)
    guard ranges.last?.end == head.head.version else { return [] }
    if received.head != head.head.cursor { received = ReceivedDeltas(head: head.head.cursor) }
    var (way, cursor): ([DeltaDocument], Cursor?) = ([], head.head.cursor)
    for range in ranges.reversed() {
      guard let end = cursor else { return [] }
      let file = PublicationHead.file(of: range, to: end)
      if received.deltas[file] == nil {
        let (delta, byteCount) = try await delta(range, to: end, of: head.list, limits)
        received.byteCount += byteCount
        guard received.byteCount <= Self.wayByteLimit else {
          throw Refusal(.refused(.answerTooLong(byteLimit: Self.wayByteLimit)))
        }
        received.deltas[file] = delta
      }
      way += received.deltas[file].map { [$0] } ?? []
      cursor = way.last?.from.cursor
    }
    received = ReceivedDeltas()
    return way
  }

  /// The received deltas of a way that is not complete yet.
  private struct ReceivedDeltas {
    var head: Cursor?
    var deltas: [String: DeltaDocument] = [:]
    var byteCount = 0
  }

  private func delta(
    _ range: PublishedRange, to cursor: Cursor, of list: ListName, _ limits: Limits
  ) async throws -> (delta: DeltaDocument, byteCount: Int) {
    let file = PublicationHead.file(of: range, to: cursor)
    return try await document(file, of: list) { bytes throws(DeltaError) in
      let delta = try DeltaDocument(bytes, limits: limits)
      try Self.check(delta.to, is: cursor)
      guard delta.from.cursor?.version == range.start else {
        throw .malformed(
          at: JSONPointer(tokens: ["from"]), expected: "version \(range.start)")
      }
      return (delta, bytes.count)
    }
  }

  /// Reads a file that never changes. A cache may answer with an older file of the name: then the
  /// file is requested once more, past caches.
  private func document<Document>(
    _ file: String, of list: ListName, _ read: ([UInt8]) throws(DeltaError) -> Document
  ) async throws -> Document {
    do {
      return try read(try await content(of: file, list))
    } catch let error as DeltaError where error.isOfReading && !doubtsCaches {
      doubtsCaches = true
      return try read(try await content(of: file, list))
    }
  }

  private static func check(_ state: ListState, is cursor: Cursor) throws(DeltaError) {
    guard state.cursor == cursor else {
      throw .malformed(at: JSONPointer(tokens: ["to"]), expected: "version \(cursor)")
    }
  }

  private func whole(
    _ copy: ListState, _ reason: WholeListReason, _ head: PublicationHead, _ limits: Limits
  ) async throws -> ReplicaAnswer {
    guard let whole = head.whole else { throw StalePublication("its head names no whole list") }
    var document = try await document(whole.file, of: head.list) { bytes throws(DeltaError) in
      let document = try SnapshotDelta(bytes, limits: limits)
      try Self.check(document.to, is: whole.state.knownCursor)
      return document
    }
    (document.from, document.reason) = (reason == .tooOld ? nil : copy, reason)
    document.more = document.to.cursor != head.head.cursor
    document.note = document.more ? nil : head.note
    known?.reached = document.to.cursor
    return .snapshot(document)
  }

  /// The header of a version: that of the delta which leads to it alone.
  private func header(
    of cursor: Cursor, _ head: PublicationHead, _ limits: Limits
  ) async throws -> ReplicaAnswer {
    let number = cursor.version.number - 1
    guard number >= head.oldest.number, cursor.version < head.head.version else {
      return .headers([])
    }
    let range = PublishedRange(base: head.base, level: 0, index: number)
    let delta = try await delta(range, to: cursor, of: head.list, limits).delta
    return .headers(delta.to.header.map { [$0] } ?? [])
  }

  private func content(of file: String, _ list: ListName) async throws -> [UInt8] {
    let response = try await get(file, of: list)
    if response.status == 200, let type = response.htmlType {
      // Some hosts answer so where a file was removed, which the present head does not name.
      known?.isOutdated = true
      throw Unavailability.notFromServer(contentType: type)
    }
    if response.status == 200 { return response.body }
    if Self.isMissing(response.status) { throw StalePublication("\(file) is missing") }
    throw Refusal(.refusal(response, of: list))
  }

  private func get(
    _ file: String, of list: ListName, _ headers: [(name: String, value: String)] = []
  ) async throws -> ReplicaResponse {
    let isFresh = doubtsCaches || failureCount > 0
    let fresh = isFresh ? [(name: "Cache-Control", value: "no-cache")] : []
    let response = try await files.get("/\(list)/\(file)", headers: headers + fresh)
    // A cache answers another request.
    if response.status == 304, headers.isEmpty { throw Unavailability.misdelivered }
    return response
  }

  /// Whether a status says that a file is missing. Object stores answer 403 to clients that may not
  /// list a folder.
  private static func isMissing(_ status: Int) -> Bool { [403, 404, 410].contains(status) }
}

extension DeltaError {
  /// Whether the file is no document, or the document of another name.
  fileprivate var isOfReading: Bool {
    switch self {
    case .json, .malformed: true
    case .limit, .notTheStart, .changes, .wrongResult: false
    }
  }
}

extension ReplicaResponse {
  /// The media type of an HTML page, which no file of a publication is; nil for other types.
  fileprivate var htmlType: String? {
    headers["content-type"].flatMap { $0.lowercased().contains("html") ? $0 : nil }
  }
}
