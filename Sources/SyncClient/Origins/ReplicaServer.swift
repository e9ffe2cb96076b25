import ListDocuments
import ListModel

/// A server whose lists an app follows together.
///
/// Their replicas share one waiting request, which asks for the lists that have changed. A server
/// without this resource holds a request for each replica.
///
///     let server = ReplicaServer(at: address, over: HTTPTransport(address))
///     let parks = Replica<Park>(of: parksName, from: server)
///     let films = Replica<Film>(of: filmsName, from: server)
public actor ReplicaServer {
  /// The time for which the server may hold a request.
  static let waitSeconds = 30

  /// The reason why a wait has ended.
  enum News: Sendable {
    /// Ask for the changes. The answer includes all changes before the mark of this epoch, and
    /// may lead to the head that the server has named.
    case ask(Asked)
    /// The server does not say which lists have changed: let it hold the request.
    case hold
    case refused(ReplicaResponse)
    case unavailable(any Error)
  }

  /// The reason for which a replica has asked for changes.
  struct Asked: Sendable {
    let epoch: Int
    /// The head that the server had named; nil if it had named none, or the list is gone.
    let head: Cursor?
  }

  private struct Waiter {
    let continuation: CheckedContinuation<News, Never>
    let list: ListName
    let since: Cursor
    /// Why its replica has asked last; nil before.
    let asked: Asked?
  }

  public nonisolated let address: ServerAddress
  private let transport: any ReplicaTransport & FileTransport
  private let clock: ReplicaClock
  /// The mark of the next request; nil if it asks for a first one.
  private var mark: String?
  /// The number of first marks so far. A mark covers only later changes, so each replica must ask
  /// once after each first mark.
  private var epoch = 0
  /// The lists whose replicas have waited for news. The server may name any number of others.
  private var followed: Set<ListName> = []
  /// The followed lists that have changed in this epoch; nil for one that is gone.
  private var heads: [ListName: Cursor?] = [:]
  private var waiters: [Int: Waiter] = [:]
  private var lastWaiter = 0
  private var poll: Task<Void, Never>?
  private var isSupported = true

  public init(
    at address: ServerAddress, over transport: any ReplicaTransport & FileTransport,
    clock: ReplicaClock = .system
  ) {
    (self.address, self.transport, self.clock) = (address, transport, clock)
  }

  /// An origin for one replica of a list of the server.
  public nonisolated func origin() -> any ReplicaOrigin {
    SharedOrigin(server: self, held: ServerOrigin(transport: transport))
  }

  /// How many replicas wait for news.
  var waitingCount: Int { waiters.count }

  /// How many heads are remembered.
  var headCount: Int { heads.count }

  /// Waits until a list has, or may have, another head than a cursor. Ends early when the task is
  /// cancelled.
  ///
  /// - Parameter asked: why the replica has asked last; nil before.
  func news(of list: ListName, otherThan since: Cursor, asked: Asked?) async -> News {
    lastWaiter += 1
    let number = lastWaiter
    followed.insert(list)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiters[number] = Waiter(
          continuation: continuation, list: list, since: since, asked: asked)
        if Task.isCancelled { return end(number, .unavailable(CancellationError())) }
        if !isSupported { return end(number, .hold) }
        _ = endThoseWithNews()
        if poll == nil, waiters[number] != nil { poll = Task { await ask() } }
      }
    } onCancel: {
      Task { await self.leave(number) }
    }
  }

  private func leave(_ number: Int) {
    end(number, .unavailable(CancellationError()))
    if waiters.isEmpty {
      poll?.cancel()
      poll = nil
    }
  }

  private func end(_ number: Int, _ news: News) {
    waiters.removeValue(forKey: number)?.continuation.resume(returning: news)
  }

  private func endAll(_ news: News) { for number in waiters.keys { end(number, news) } }

  /// Ends the waits of the replicas that have news.
  ///
  /// - Returns: whether a replica had news.
  private func endThoseWithNews() -> Bool {
    guard mark != nil else { return false }
    let count = waiters.count
    for (number, waiter) in waiters where waiter.asked?.epoch != epoch || hasNews(waiter) {
      end(number, .ask(Asked(epoch: epoch, head: heads[waiter.list] ?? nil)))
    }
    return waiters.count < count
  }

  /// Whether the server has named another head of the list than that of the copy, which is not a
  /// former one: a replica that has asked because of it can have got a later version.
  private func hasNews(_ waiter: Waiter) -> Bool {
    guard let named = heads[waiter.list], named != waiter.since else { return false }
    guard let named, named == waiter.asked?.head else { return true }
    return named.version >= waiter.since.version
  }

  /// Asks the server as long as a replica waits.
  private func ask() async {
    while !waiters.isEmpty {
      let start = clock.now()
      do {
        let response = try await transport.get(
          Address.changes(since: mark, waitSeconds: Self.waitSeconds),
          headers: [(name: "Accept", value: "application/json, application/problem+json")],
          waitSeconds: mark == nil ? 0 : Self.waitSeconds)
        if Task.isCancelled { return }
        // A server that does not wait, or has nothing new, is not asked again at once (P54).
        if try !take(response), clock.now() - start < ReplicaMachine.leastPollSeconds {
          try? await clock.sleep(ReplicaMachine.leastPollSeconds * (1 + clock.random()))
          if Task.isCancelled { return }
        }
      } catch {
        if Task.isCancelled { return }
        endAll(.unavailable(error))
      }
    }
    poll = nil
  }

  /// - Returns: whether there was news for a replica, or more may follow at once.
  private func take(_ response: ReplicaResponse) throws -> Bool {
    switch response.status {
    case 200: break
    case 404, 405, 501:
      isSupported = false
      endAll(.hold)
      return true
    default:
      endAll(.refused(response))
      return true
    }
    let changes = try ChangedLists(response.body)
    let last = mark
    if changes.isAll {
      // The server was started again. Its lists may be many pages: each replica asks for its own.
      mark = nil
      return last != nil
    }
    if last == nil { (epoch, heads) = (epoch + 1, [:]) }
    mark = changes.mark
    for (list, cursor) in changes.heads where followed.contains(list) {
      heads[list] = .some(cursor)
    }
    for list in changes.gone where followed.contains(list) { heads[list] = .some(nil) }
    let isPage = changes.hasMore && mark != last && !(changes.heads.isEmpty && changes.gone.isEmpty)
    return endThoseWithNews() || isPage
  }
}

/// A list of a server, for one replica.
private actor SharedOrigin: ReplicaOrigin {
  private let server: ReplicaServer
  private let held: ServerOrigin
  /// Why the replica has asked last.
  private var asked: ReplicaServer.Asked?

  init(server: ReplicaServer, held: ServerOrigin) { (self.server, self.held) = (server, held) }

  func commit(_ request: ReplicaRequest) async -> EditAnswer { await held.commit(request) }

  var isReadOnly: Bool { false }

  func answer(
    to request: ReplicaRequest, from copy: ListState, limits: Limits
  ) async -> ReplicaAnswer {
    guard case .watch = request.purpose else {
      return await held.answer(to: request, from: copy, limits: limits)
    }
    switch await server.news(of: request.list, otherThan: request.since, asked: asked) {
    case .ask(let asked):
      self.asked = asked
      return await held.answer(to: request.withoutWaiting, from: copy, limits: limits)
    case .hold: return await held.answer(to: request, from: copy, limits: limits)
    case .refused(let response): return ReplicaAnswer.refusal(response, of: request.list)
    case .unavailable(let error): return ReplicaAnswer(error)
    }
  }
}
