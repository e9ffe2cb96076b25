import ListModel
import ListStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import Synchronization
import Testing

/// An act, with a store's answers before and after it. Each run has a database of its own, a copy
/// of one with the store before the act.
struct CutTrial {
  let act: CutAct
  private let server: PostgresServer
  private let base: String
  /// Nil if there is no store before the act.
  private let before: StoreAnswers?
  private let after: StoreAnswers?
  /// The number of messages of the act in both directions together.
  let messageCount: Int

  init(_ act: CutAct) async throws {
    self.act = act
    server = try PostgresServer.shared.get()
    base = PostgresServer.name("base")
    try server.sql("CREATE DATABASE \"\(base)\"")
    if act.hasStore {
      let subject = CutSubject(server, database: base)
      try await ServiceAct.makeHistory(subject.opened(createsMissing: true))
    }
    before = try await Self.answers(server, base)
    (after, messageCount) = try await Self.inCopy(of: base, on: server) { [server] database in
      let plan = Plan(.pass, at: 0)
      let proxy = try CuttingProxy(of: server) { _, _ in plan.next() }
      let subject = CutSubject(server, database: database, port: proxy.port)
      try act.setUp(subject)
      plan.isArmed = true
      try await act.run(subject)
      let count = plan.messageCount
      return (try await Self.answers(server, database), count)
    }
  }

  func end() throws { try server.sql("DROP DATABASE \"\(base)\" WITH (FORCE)") }

  /// What becomes of each message.
  private final class Plan: Sendable {
    private let act: CuttingProxy.Act
    private let number: Int
    private let state = Mutex((isArmed: false, count: 0))

    /// - Parameter number: of the message that is disturbed, from 1.
    init(_ act: CuttingProxy.Act, at number: Int) { (self.act, self.number) = (act, number) }

    /// Messages count from when this is set.
    var isArmed: Bool {
      get { state.withLock { $0.isArmed } }
      set { state.withLock { $0.isArmed = newValue } }
    }

    var messageCount: Int { state.withLock { $0.count } }

    func next() -> CuttingProxy.Act {
      state.withLock { state in
        guard state.isArmed else { return .pass }
        state.count += 1
        return state.count == number ? act : .pass
      }
    }
  }

  /// The result of an act.
  struct Outcome {
    /// Whether the act had as many messages.
    let isReached: Bool
    let error: (any Error)?
    /// Whether the error says that the act may have happened.
    let isUnknown: Bool
  }

  /// Runs the act with one message disturbed, and checks the result.
  func run(_ disturbance: CuttingProxy.Act, at number: Int) async throws -> Outcome {
    try await Self.inCopy(of: base, on: server) { database in
      let plan = Plan(disturbance, at: number)
      let proxy = try CuttingProxy(of: server) { _, _ in plan.next() }
      let subject = CutSubject(server, database: database, port: proxy.port)
      try act.setUp(subject)
      plan.isArmed = true
      var failure: (any Error)?
      do { try await act.run(subject) } catch { failure = error }
      let isReached = plan.messageCount >= number
      let isUnknown = try check(failure, try await Self.answers(server, database), disturbance)
      try await checkGoesOn(subject, database)
      return Outcome(isReached: isReached, error: failure, isUnknown: isUnknown)
    }
  }

  /// Checks that an error is clear and true.
  ///
  /// - Returns: whether it leaves open what became of the act.
  private func check(
    _ failure: (any Error)?, _ state: StoreAnswers?, _ disturbance: CuttingProxy.Act
  ) throws -> Bool {
    guard let failure else {
      #expect(state == after, "reported as done")
      return false
    }
    guard case StoreError.unreachable(_, _, let remedy) = failure else { throw failure }
    #expect(disturbance != .delay, "a delay is no failure")
    let isUnknown = remedy.contains("Look whether the change was kept")
    #expect(!isUnknown || !act.isResolved, "the store can find out")
    #expect(state == before || (state == after && (isUnknown || !act.hasStore)))
    return isUnknown
  }

  /// Checks that a program can continue with its store, and that the act can be run again.
  private func checkGoesOn(_ subject: CutSubject, _ database: String) async throws {
    try await act.run(subject)
    #expect(try await Self.answers(server, database) == after)
    var request = CommitRequest(list: .parks, snapshot: try Snapshot.of("next", "a=9"))
    request.beginsAgain = true
    let outcome = try await subject.service.commit(request)
    let direct = CutSubject(server, database: database)
    #expect(try await direct.service.state(of: ListRevision(.parks)) == outcome.state)
  }

  /// All that a store says, which must be sound; nil if there is none.
  private static func answers(_ server: PostgresServer, _ database: String) async throws
    -> StoreAnswers?
  {
    let service: SyncService
    do {
      service = try CutSubject(server, database: database).service
    } catch StoreError.notFound {
      return nil
    }
    #expect(try await service.verify(depth: .everything).faults == [])
    return try await StoreAnswers(of: service)
  }

  private static func inCopy<Result>(
    of base: String, on server: PostgresServer, _ body: (String) async throws -> Result
  ) async throws -> Result {
    let database = PostgresServer.name("copy")
    // Connections that are being closed would keep a database from being copied.
    try server.sql(
      """
      SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity WHERE datname = '\(base)'
      """)
    try server.sql("CREATE DATABASE \"\(database)\" TEMPLATE \"\(base)\"")
    defer { _ = try? server.sql("DROP DATABASE \"\(database)\" WITH (FORCE)") }
    return try await body(database)
  }
}
