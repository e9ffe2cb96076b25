import Foundation
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// Campaign 19: the built server against requests of every shape, over sockets.
@Suite(.serialized) struct HostileRequestCampaign {
  static let campaign = Campaign("hostile requests")
  static let isLinux = FileManager.default.fileExists(atPath: "/proc/self/fd")

  /// Starts a server with short timeouts.
  func serve(_ arguments: [String] = []) throws -> ServerProgram {
    try ServerProgram(
      ["--idle-timeout", "1", "--max-body", "100000", "--host-name", "localhost"] + arguments)
  }

  @Test(
    .enabled(if: isLinux, "skipped: only Linux reports the resources of a process"),
    .timeLimit(.minutes(Hang.minutes)))
  func everyAnswerHasAKnownStatusCorrectFramingAndAReason() async throws {
    let server = try serve()
    let port = try await server.port()
    // By then the server has allocated all its lasting resources.
    for part in 0..<8 { try await attack(port, part: 1_000 + part, rounds: 10, HostileTally()) }
    let before = try await settled(server)
    let tally = HostileTally()
    let rounds = Self.campaign.rounds(16, long: 4_000)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for part in 0..<8 {
        group.addTask { try await attack(port, part: part, rounds: rounds, tally) }
      }
      try await group.waitForAll()
    }
    try await expectWhole(server, port: port, before: before, tally)
    Self.campaign.report(tally.description)
  }

  func attack(_ port: Int, part: Int, rounds: Int, _ tally: HostileTally) async throws {
    let faults = try await onThread {
      var random = Self.campaign.random(part)
      var faults: [String] = []
      for _ in 0..<rounds {
        let exchange = HostileExchange(&random)
        do {
          let (bytes, isBroken) = try exchange.run(port: port)
          var reader = AnswerReader(bytes, isBroken: isBroken)
          let answers = try reader.answers(to: exchange.requests)
          tally.note(answers, of: exchange.requests.count)
        } catch {
          faults.append("seed \(Self.campaign.seed): \(error)\n\(exchange.description)")
        }
      }
      return faults
    }
    for fault in faults { Issue.record("\(fault)") }
  }

  /// The server's resources after all connections have ended.
  ///
  /// - Parameter before: the resources before the connections; nil to measure them.
  func settled(_ server: ServerProgram, after before: ServerCensus? = nil) async throws
    -> ServerCensus
  {
    // Longer than the server keeps a silent connection.
    try await Task.sleep(for: .milliseconds(1500))
    guard let before else { return try #require(ServerCensus(of: server)) }
    try await eventually("all connections are closed") {
      ServerCensus(of: server)?.socketCount ?? .max <= before.socketCount
    }
    let after = try #require(ServerCensus(of: server))
    // How many readers of the store are open depends on how many requests there were at once.
    #expect(after.openFileCount < before.openFileCount + 20)
    return after
  }

  private func expectWhole(
    _ server: ServerProgram, port: Int, before: ServerCensus, _ tally: HostileTally
  ) async throws {
    #expect(server.isRunning, "\(server.logText.suffix(2_000))")
    let after = try await settled(server, after: before)
    #expect(after.residentByteCount < before.residentByteCount + 200 << 20)
    #expect(!server.logText.contains("unexpected error"), "\(server.logText.suffix(2_000))")
    #expect(tally.counts[400, default: 0] > 0 && tally.counts[200, default: 0] > 0)
    let isDropped = server.logText.contains(#/method=DELETE .*route=/v1/lists/{list} status=200/#)
    for location in tally.locations {
      let status = try await Self.get(location, port: port).first?.status
      #expect(
        status == 200 || isDropped && status == 410, "an acknowledged version is gone: \(location)")
    }
    server.signal(SIGTERM)
    #expect(try await server.end() == 0)
    try await Self.verify(server.folder.appendingPathComponent("listsync.db").path)
  }

  static func get(_ target: String, port: Int) async throws -> [AnswerReader.Answer] {
    try await timedGet(target, port: port).answers
  }

  static func timedGet(
    _ target: String, port: Int
  ) async throws -> (answers: [AnswerReader.Answer], duration: Duration) {
    try await timedSend(
      "GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", port: port)
  }

  static func send(_ text: String, port: Int) async throws -> [AnswerReader.Answer] {
    try await timedSend(text, port: port).answers
  }

  /// Sends a request, and measures the time to the end of its answer on the thread that sent it: a
  /// task may have to wait for its turn.
  private static func timedSend(
    _ text: String, port: Int
  ) async throws -> (answers: [AnswerReader.Answer], duration: Duration) {
    let (bytes, duration) = try await onThread {
      let start = ContinuousClock.now
      let wire = try Wire(port: port)
      try wire.write(text)
      return (try wire.readToEnd(), ContinuousClock.now - start)
    }
    var reader = AnswerReader(bytes, isBroken: false)
    return (try reader.answers(to: []), duration)
  }

  static func verify(_ path: String) async throws {
    let store = try SQLiteStore(path: path, ifAbsent: .fail)
    let report = try await SyncService(store: store) { TestStore.noon }
      .verify(depth: .everything)
    #expect(report.faults == [])
  }
}
