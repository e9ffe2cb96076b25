import Foundation
import ListModel
import PostgresTestSupport
import StoreTestSupport
import SyncService
import Synchronization
import TestSupport
import Testing

@testable import ListStore
@testable import PostgresStore

/// A connection may be lost at any moment. No kept version is reported as failed, and none is made
/// twice.
@Suite(.needsPostgreSQL) struct ConnectionTests {
  @Test func readsAndWritesGoOnAfterTheServerEndedAllConnections() async throws {
    let test = try PostgresTest("ended")
    for number in 1...3 {
      try await test.commit("a=\(number)")
      _ = try await test.store.dataVersion()
      try test.server.sql(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'
          AND query LIKE '%\(test.schema)%'
        """)
      _ = try await test.store.dataVersion()
      let head = try await test.service.state(of: ListRevision(.parks))
      #expect(head.cursor?.version == Version(number))
    }
  }

  /// Cuts a connection once, before a COMMIT or after it.
  private final class CommitCut: Sendable {
    private let act: CuttingProxy.Act
    private let state = Mutex((isInCommit: false, isDone: false, hasReconnected: false))
    private let onReconnection: @Sendable () async throws -> Void

    /// - Parameter onReconnection: runs before the client gets another connection.
    init(
      _ act: CuttingProxy.Act, onReconnection: @escaping @Sendable () async throws -> Void = {}
    ) {
      (self.act, self.onReconnection) = (act, onReconnection)
    }

    var hasReconnected: Bool { state.withLock { $0.hasReconnected } }

    func act(_ direction: CuttingProxy.Direction, _ message: [UInt8]) -> CuttingProxy.Act {
      let isReconnection = state.withLock { state in
        guard direction == .toServer, state.isDone, !state.hasReconnected else { return false }
        state.hasReconnected = true
        return true
      }
      if isReconnection { wait(for: onReconnection) }
      return state.withLock { state in
        guard direction == .toServer, !state.isDone else { return .pass }
        if message.firstRange(of: Array("COMMIT".utf8)) != nil { state.isInCommit = true }
        // The messages of a statement end with Sync, whose type is S.
        guard state.isInCommit, act == .cutBefore || message.first == UInt8(ascii: "S") else {
          return .pass
        }
        state.isDone = true
        return act
      }
    }

    /// Holds the proxy's thread, which is no task's.
    private func wait(for body: @escaping @Sendable () async throws -> Void) {
      let isEnded = DispatchSemaphore(value: 0)
      Task {
        do { try await body() } catch { Issue.record(error) }
        isEnded.signal()
      }
      isEnded.wait()
    }
  }

  @Test(arguments: [CuttingProxy.Act.cutBefore, .cutAfter])
  func commitWhoseAnswerIsLostIsMadeOnceAndReported(_ act: CuttingProxy.Act) async throws {
    let test = try PostgresTest("lost")
    try await test.commit("a")
    // Another writer goes first: a kept version must not be made again after this one.
    let cut = CommitCut(act) {
      if act == .cutAfter {
        try await eventually("the server has carried out what it got") {
          try await test.service.log(of: .parks).count == 2
        }
      }
      try await test.commit("c")
    }
    let proxy = try CuttingProxy(of: test.server) { cut.act($0, $1) }
    let service = try test.other(port: proxy.port)
    let outcome = try await service.commit(
      CommitRequest(list: .parks, snapshot: .of("a", "b")))
    #expect(outcome.state.cursor?.version == Version(act == .cutBefore ? 3 : 2))
    #expect(cut.hasReconnected)
    // On a slow machine, the client gives the held connection up and gets another one.
    try await eventually("the other writer has committed") {
      try await test.service.log(of: .parks).count >= 3
    }
    #expect(try await test.service.log(of: .parks).count == 3)
  }

  /// Makes the server wait, in each COMMIT of a new version, until the commits are released.
  private struct HeldCommits {
    private let test: PostgresTest
    /// Cuts the connection of the first COMMIT when the server has it.
    private let proxy: CuttingProxy

    init(_ test: PostgresTest) throws {
      self.test = test
      let cut = CommitCut(.cutAfter)
      proxy = try CuttingProxy(of: test.server) { cut.act($0, $1) }
      let schema = "\"\(test.schema)\""
      try test.server.sql(
        """
        CREATE TABLE \(schema).held AS SELECT 1;
        CREATE FUNCTION \(schema).waits() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN WHILE EXISTS (SELECT FROM \(schema).held) LOOP PERFORM pg_sleep(0.01); END LOOP;
          RETURN NULL; END';
        CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON \(schema).versions
          DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION \(schema).waits()
        """)
    }

    func commit(waiting seconds: TimeInterval) async throws -> CommitOutcome {
      let service = try test.other(port: proxy.port, busyTimeoutSeconds: seconds)
      return try await service.commit(CommitRequest(list: .parks, snapshot: .of("a", "b")))
    }

    func release() throws { try test.server.sql("DELETE FROM \"\(test.schema)\".held") }

    /// Waits until another transaction waits for the one that is held.
    func haveSomebodyWaiting() async throws {
      try await eventually("the outcome is looked for") {
        try test.server.sql(
          """
          SELECT pid FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND query LIKE '%\(test.schema)%'
          """
        ).count == 1
      }
    }
  }

  @Test(.onOneServer, arguments: [0, 1])
  func commitThatTheServerCarriesOutAfterTheConnectionWasLostIsReported(before: Int) async throws {
    let test = try PostgresTest("late")
    if before > 0 { try await test.commit("a") }
    let held = try HeldCommits(test)
    let commit = Task { try await held.commit(waiting: Hang.seconds) }
    try await held.haveSomebodyWaiting()
    try held.release()
    let outcome = try await commit.value
    #expect(outcome.state.cursor?.version == Version(before + 1))
    if case .unchanged = outcome { Issue.record("the kept commit was made again") }
    #expect(try await test.service.log(of: .parks).count == before + 1)
  }

  @Test(.onOneServer, arguments: [0, 1])
  func commitThatTheServerDoesNotEndInTimeSaysThatItsOutcomeIsUnknown(before: Int) async throws {
    let test = try PostgresTest("held")
    if before > 0 { try await test.commit("a") }
    let held = try HeldCommits(test)
    do {
      // Long enough for what comes before COMMIT, on a busy machine too.
      _ = try await held.commit(waiting: 2)
      Issue.record("nothing told the outcome")
    } catch StoreError.unreachable(_, _, let remedy) {
      #expect(remedy.contains("kept"))
    }
    try held.release()
    try await eventually("the commit is carried out") {
      try await test.service.log(of: .parks).count == before + 1
    }
  }

  /// Keeps the first transaction that writes back until the client has asked whether the server
  /// carried it out.
  @Test(.onOneServer, arguments: [true, false])
  func commitThatReachesTheServerAfterTheQuestionAboutItIsReported(isEnded: Bool) async throws {
    let test = try PostgresTest("overtaken")
    try await test.commit("a")
    let held = try HeldCommits(test)
    if isEnded { try held.release() }
    let state = Mutex((isHeld: false, isCut: false, questions: 0))
    let sendLate = Mutex<@Sendable () -> Void>({})
    let proxy = try CuttingProxy(of: test.server) { direction, message in
      guard direction == .toServer else { return .pass }
      let (act, isAsked): (CuttingProxy.Act, Bool) = state.withLock { state in
        let isWriting = message.firstRange(of: Array("lock_timeout".utf8)) != nil
        if state.isCut {
          state.questions += isWriting ? 1 : 0
          return (.pass, isWriting && state.questions == 2)
        }
        state.isHeld = state.isHeld || isWriting
        state.isCut = state.isHeld && message.first == UInt8(ascii: "S")
        return (state.isCut ? .cutHolding : state.isHeld ? .hold : .pass, false)
      }
      if isAsked {
        sendLate.withLock { $0 }()
        let versions = "\"\(test.schema)\".versions"
        let sign =
          isEnded
          ? "SELECT 1 FROM \(versions) WHERE version = 2"
          : """
          SELECT 1 FROM pg_locks
          WHERE relation = '\(versions)'::regclass AND mode = 'RowExclusiveLock'
          """
        for _ in 0..<200 {
          let isCarriedOut = (try? test.server.sql(sign))?.isEmpty == false
          if isCarriedOut { break }
          Thread.sleep(forTimeInterval: 0.01)
        }
      }
      return act
    }
    sendLate.withLock { $0 = { [weak proxy] in proxy?.sendLate() } }
    let service = try test.other(port: proxy.port, busyTimeoutSeconds: isEnded ? Hang.seconds : 0.5)
    do {
      let outcome = try await service.commit(
        CommitRequest(list: .parks, snapshot: .of("a", "b")))
      #expect(isEnded && outcome.state.cursor?.version == Version(2))
      if case .unchanged = outcome { Issue.record("the kept commit was made again") }
    } catch StoreError.unreachable(_, _, let remedy) {
      #expect(!isEnded && remedy.contains("kept"))
    }
    #expect(state.withLock { $0.questions } >= 2, "nothing was asked and made again")
    try held.release()
    try await eventually("the commit is carried out") {
      try await test.service.log(of: .parks).count == 2
    }
  }

  @Test func writeThatMakesNoVersionSaysThatItsOutcomeIsUnknown() async throws {
    let test = try PostgresTest("tag")
    try await test.commit("a")
    let cut = CommitCut(.cutAfter)
    let proxy = try CuttingProxy(of: test.server) { cut.act($0, $1) }
    let service = try test.other(port: proxy.port)
    do {
      _ = try await service.tag(TagName("spring")!, of: .parks)
      Issue.record("the answer was lost")
    } catch StoreError.unreachable(_, _, let remedy) {
      #expect(remedy.contains("kept"))
    }
  }

  @Test(.onOneServer) func commitThatTheServerRefusesKeepsNothing() async throws {
    let test = try PostgresTest("refuses")
    try await test.commit("a")
    let schema = "\"\(test.schema)\""
    try test.server.sql(
      """
      CREATE FUNCTION \(schema).refuses() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN RAISE EXCEPTION ''not this time''; END'
      """)
    for table in ["versions", "tags"] {
      try test.server.sql(
        """
        CREATE CONSTRAINT TRIGGER refuses AFTER INSERT ON \(schema).\(table)
          DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION \(schema).refuses()
        """)
    }
    await #expect(throws: StoreError.database(reason: "not this time (SQLSTATE P0001)")) {
      try await test.commit("a", "b")
    }
    // Nothing tells whether a tag was kept.
    do {
      _ = try await test.service.tag(TagName("spring")!, of: .parks)
      Issue.record("the server refused")
    } catch StoreError.unreachable(_, let reason, let remedy) {
      #expect(reason.contains("not this time") && remedy.contains("kept"))
    }
    #expect(try await test.service.log(of: .parks).count == 1)
    try test.server.sql("DROP FUNCTION \(schema).refuses CASCADE")
    #expect(try await test.commit("c").state.cursor?.version == Version(2))
  }

  /// A lost connection is no fault of the store.
  @Test(arguments: 1...2) func verificationThatIsCutFindsNoFault(number: Int) async throws {
    let test = try PostgresTest("verify")
    for value in 0..<3 { try await test.commit("a=\(value)", "b") }
    let seen = Mutex(0)
    let segments = Array(".segments".utf8)
    let proxy = try CuttingProxy(of: test.server) { direction, bytes in
      guard direction == .toServer, bytes.firstRange(of: segments) != nil else { return .pass }
      return seen.withLock { seen in
        seen += 1
        return seen == number ? .cutBefore : .pass
      }
    }
    let report = try await test.other(port: proxy.port).verify(depth: .everything)
    #expect(report.faults == [] && report.verified.count == 1)
    #expect(seen.withLock { $0 } > number, "nothing was asked again")
  }

  @Test func serverThatIsDownIsUnreachableAndServesAgainLater() async throws {
    let server = try PostgresServer("down")
    let test = try PostgresTest("down", on: server)
    try await test.commit("a")
    try server.crash()
    await #expect(throws: StoreError.self) { try await test.commit("a", "b") }
    do {
      _ = try await test.service.state(of: ListRevision(.parks))
      Issue.record("the server is down")
    } catch StoreError.unreachable(let store, _, _) {
      #expect(store.hasPrefix("postgresql://store@"))
    }
    try server.start()
    #expect(try await test.commit("a", "b").state.cursor?.version == Version(2))
  }

  @Test func commitsAreDurableWhateverTheDefaultIs() async throws {
    let test = try PostgresTest("durable")
    for (setting, used) in [("off", "on"), ("remote_write", "remote_write")] {
      let store = try PostgresStore(
        address: test.server.address("&options=-c%20synchronous_commit%3D\(setting)"),
        schema: test.schema, createsMissing: false)
      let found = try await store.write { writer in
        var found = ""
        try (writer.engine as? PostgresTransaction)?.connection.query(
          "SELECT current_setting('synchronous_commit')"
        ) { found = $0.text(0) }
        return found
      }
      #expect(found == used)
    }
  }

  private final class Attempts: Sendable {
    let count = Atomic(0)
  }

  @Test func writersInEachOthersWayAreTriedAgain() async throws {
    let test = try PostgresTest("deadlock")
    for list in [ListName.parks, .films] {
      _ = try await test.service.commit(CommitRequest(list: list, snapshot: .of("a")))
    }
    // Each of the first two attempts has one list, and goes for the other when both are taken.
    let attempts = Attempts()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lists in [[ListName.parks, .films], [.films, .parks]] {
        group.addTask {
          try await test.store.write { writer in
            _ = try writer.lockedList(lists[0])
            attempts.count.add(1, ordering: .relaxed)
            while attempts.count.load(ordering: .relaxed) < 2 { usleep(1000) }
            _ = try writer.lockedList(lists[1])
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(attempts.count.load(ordering: .relaxed) == 3)
  }
}
