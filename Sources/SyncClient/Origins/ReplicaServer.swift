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
    /// Ask for the changes. The answer includes all changes before the mark of this epoch.
    case ask(epoch: Int)
    /// The server does not say which lists have changed: let it hold the request.
    case hold
    case refused(ReplicaResponse)
    case unavailable(any Error)
  }

  private struct Waiter {
    let continuation: CheckedContinuation<News, Never>
    let list: ListName
    let since: Cursor
    /// The epoch in which its replica has asked for changes.
    let epoch: Int?
  }

  public nonisolated let address: ServerAddress
  private let transport: any ReplicaTransport & FileTransport
  /// The mark of the next request; nil if it asks for a first one.
  private var mark: String?
  /// The number of first marks so far. A mark covers only later changes, so each replica must ask
  /// once after each first mark.
  private var epoch = 0
  /// The lists that have changed in this epoch; nil for one that is gone.
  private var heads: [ListName: Cursor?] = [:]
  private var waiters: [Int: Waiter] = [:]
  private var lastWaiter = 0
  private var poll: Task<Void, Never>?
  private var isSupported = true

  public init(at address: ServerAddress, over transport: any ReplicaTransport & FileTransport) {
    (self.address, self.transport) = (address, transport)
  }

  /// An origin for one replica of a list of the server.
  public nonisolated func origin() -> any ReplicaOrigin {
    SharedOrigin(server: self, held: ServerOrigin(transport: transport))
  }

  /// How many replicas wait for news.
  var waitingCount: Int { waiters.count }

  /// Waits until a list has, or may have, another head than a cursor. Ends early when the task is
  /// cancelled.
  ///
  /// - Parameter epoch: the one in which the replica has asked; nil before.
  func news(of list: ListName, otherThan since: Cursor, epoch: Int?) async -> News {
    lastWaiter += 1
    let number = lastWaiter
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiters[number] = Waiter(
          continuation: continuation, list: list, since: since, epoch: epoch)
        if Task.isCancelled { return end(number, .unavailable(CancellationError())) }
        if !isSupported { return end(number, .hold) }
        endThoseWithNews()
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

  private func endThoseWithNews() {
    guard mark != nil else { return }
    for (number, waiter) in waiters {
      let head = heads[waiter.list] ?? waiter.since
      if waiter.epoch != epoch || head != waiter.since { end(number, .ask(epoch: epoch)) }
    }
  }

  /// Asks the server as long as a replica waits.
  private func ask() async {
    while !waiters.isEmpty {
      do {
        let response = try await transport.get(
          Address.changes(since: mark, waitSeconds: Self.waitSeconds),
          headers: [(name: "Accept", value: "application/json, application/problem+json")],
          waitSeconds: mark == nil ? 0 : Self.waitSeconds)
        if Task.isCancelled { return }
        try take(response)
      } catch {
        if Task.isCancelled { return }
        endAll(.unavailable(error))
      }
    }
    poll = nil
  }

  private func take(_ response: ReplicaResponse) throws {
    switch response.status {
    case 200: break
    case 404, 405, 501:
      isSupported = false
      return endAll(.hold)
    default: return endAll(.refused(response))
    }
    let changes = try ChangedLists(response.body)
    if changes.isAll {
      // The server was started again. Its lists may be many pages: each replica asks for its own.
      mark = nil
      return
    }
    if mark == nil { (epoch, heads) = (epoch + 1, [:]) }
    mark = changes.mark
    for (list, cursor) in changes.heads { heads[list] = .some(cursor) }
    for list in changes.gone { heads[list] = .some(nil) }
    endThoseWithNews()
  }
}

/// A list of a server, for one replica.
private actor SharedOrigin: ReplicaOrigin {
  private let server: ReplicaServer
  private let held: ServerOrigin
  /// The epoch of the server in which the replica has last asked.
  private var epoch: Int?

  init(server: ReplicaServer, held: ServerOrigin) { (self.server, self.held) = (server, held) }

  func answer(
    to request: ReplicaRequest, from copy: ListState, limits: Limits
  ) async -> ReplicaAnswer {
    guard case .watch = request.purpose else {
      return await held.answer(to: request, from: copy, limits: limits)
    }
    switch await server.news(of: request.list, otherThan: request.since, epoch: epoch) {
    case .ask(let epoch):
      self.epoch = epoch
      return await held.answer(to: request.withoutWaiting, from: copy, limits: limits)
    case .hold: return await held.answer(to: request, from: copy, limits: limits)
    case .refused(let response): return ReplicaAnswer.refusal(response, of: request.list)
    case .unavailable(let error): return ReplicaAnswer(error)
    }
  }
}
