import Hummingbird
import HummingbirdCore
import ListModel
import ListStore
import Logging
import NIOCore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncServer

/// A server on a store of its own, and a client for it.
struct TestServer: Sendable {
  let test: TestStore
  let store: WatchedStore
  let service: SyncService
  let headCache: HeadCache
  let syncServer: SyncServer
  let client: any ServerClient
  /// Nil if the server has no connections.
  let port: Int?

  /// Runs a test body against a server that ends afterwards.
  ///
  /// - Parameters:
  ///   - other: the server's store; nil for that of `test`.
  ///   - failures: the planned failures of the server's store.
  ///   - clock: measures how long requests wait for news.
  ///   - longAnswerCost: from what cost of its readings on an answer is a long one.
  static func run(
    _ transport: Transport, settings: ServerSettings = ServerSettings(),
    on other: (any ListStore)? = nil, failing failures: Failures = Failures(),
    clock: any Clock<Duration> = ContinuousClock(),
    longAnswerCost: Int = LargeAnswerLimiter.leastCost, _ body: (TestServer) async throws -> Void
  ) async throws {
    let test = try TestStore()
    let store = WatchedStore(FailingStore(store: other ?? test.store, failures: failures))
    let service = SyncService(store: store, limits: settings.limits) { TestStore.noon }
    let headCache = HeadCache(service: service, clock: clock)
    try await headCache.refresh()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let server = SyncServer(
      service: service, headCache: headCache, settings: settings, logger: logger,
      longAnswerCost: longAnswerCost)
    let responder = server.responder()
    func testServer(_ client: any ServerClient, port: Int? = nil) -> TestServer {
      TestServer(
        test: test, store: store, service: service, headCache: headCache, syncServer: server,
        client: client, port: port)
    }
    switch transport {
    case .inProcess:
      try await body(testServer(InProcessClient(responder: responder, logger: logger)))
    case .network:
      try await withListener(responder, logger) { port in
        try await body(testServer(NetworkClient(port: port), port: port))
      }
    }
  }

  private struct DidNotStart: Error {}

  private static func withListener(
    _ responder: some HTTPResponder<ServerContext>, _ logger: Logger,
    _ body: (Int) async throws -> Void
  ) async throws {
    let (ports, found) = AsyncStream<Int>.makeStream()
    let application = Application(
      responder: responder,
      server: ConnectionBounds().connections,
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in
        if let port = channel.localAddress?.port { found.yield(port) }
      }, logger: logger)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { found.finish() }
        try? await application.run()
      }
      guard let port = await ports.first(where: { _ in true }) else { throw DidNotStart() }
      defer { group.cancelAll() }
      try await body(port)
    }
  }
}

extension TestServer {
  func send(
    _ method: String, _ target: String, _ headers: KeyValuePairs<String, String> = [:],
    body: some Sequence<UInt8> = []
  ) async throws -> ClientAnswer {
    try await send(
      ClientRequest(
        method: method, target: target, headers: headers.map { Header($0.key, $0.value) },
        body: Array(body)))
  }

  /// Sends a request, and checks the answer against `openapi.json`.
  ///
  /// - Returns: the answer with the addresses in its headers resolved, as a client does.
  func send(_ request: ClientRequest) async throws -> ClientAnswer {
    let answer = try await client.send(request)
    APIDocument.shared.check(answer, to: request)
    return answer.resolvingAddresses(from: request.target)
  }

  func get(
    _ target: String, _ headers: KeyValuePairs<String, String> = [:]
  ) async throws -> ClientAnswer {
    try await send("GET", target, headers)
  }

  /// The answers to a request and to those that the header `Link` names, one after the other.
  func pages(from target: String) async throws -> [ClientAnswer] {
    var answers = [try await get(target)]
    while let next = answers.last?.next { answers.append(try await get(next)) }
    return answers
  }

  func put(
    _ target: String, _ headers: KeyValuePairs<String, String>, _ text: String
  ) async throws -> ClientAnswer {
    try await send("PUT", target, headers, body: text.utf8)
  }

  /// Commits ids, or `id=number`, as the next version of the list `parks`, like another program.
  @discardableResult
  func commit(_ texts: String...) async throws -> Cursor {
    let outcome = try await test.service.commit(
      CommitRequest(list: .parks, snapshot: try .of(texts)))
    try await headCache.refresh()
    return try #require(outcome.state.cursor)
  }
}

extension ServerSettings {
  init(_ change: (inout ServerSettings) -> Void) {
    self.init()
    change(&self)
  }
}
