import Foundation
import ListModel
import ListStore
import LocalFiles
import SQLiteStore
import StoreTestSupport
import SyncClient
import SyncService
import TestSupport
import Testing

/// Apps edit their replicas of one list while the server and the apps are killed and started again:
/// real programs, sockets and files.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct MergingKillCampaign {
  private let campaign = Campaign("merging, killed")

  @Test func eachEditIsInTheHistoryOnceOrItsConflictWasReported() async throws {
    var tally = Tally()
    for round in 0..<campaign.rounds(1, long: 20) {
      try await run(round, &tally)
    }
    campaign.report("\(tally)")
    #expect(tally.kills > 0 && tally.restarts > 0)
    #expect(tally.repeated > 0, "no lost answer was asked for again")
  }

  private func run(_ round: Int, _ tally: inout Tally) async throws {
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("listsync.db").path
    do {
      let store = try SQLiteStore(path: path, ifAbsent: .create)
      let service = SyncService(store: store) { TestStore.noon }
      let first = try Snapshot((0..<8).map { Item.made(ItemID("i\($0)")) })
      _ = try await service.commit(CommitRequest(list: .parks, snapshot: first))
    }
    let server = try await KilledServer(folder: folder)
    var random = campaign.random(round)
    let meter = EditMeter(random: SeededRandom(seed: random.next()))
    let editCount = campaign.rounds(30, long: 60)
    let killing = Task { [kills = campaign.random(-1 - round)] in
      try await server.killAgainAndAgain(kills)
    }
    var writers = try await withThrowingTaskGroup(of: KilledWriter.self) { group in
      for index in 0..<6 {
        let place = KilledWriter.Place(
          server: await server.address, path: folder.appendingPathComponent("w\(index).db").path,
          meter: meter)
        let seeded = SeededRandom(seed: random.next())
        group.addTask {
          var writer = try KilledWriter(name: "w\(index)", place: place, random: seeded)
          try await writer.run(editCount: editCount)
          return writer
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    await server.endKills()
    try await killing.value
    for index in writers.indices { try await writers[index].settle() }
    let store = try SQLiteStore(path: path, ifAbsent: .fail)
    let service = SyncService(store: store) { TestStore.noon }
    let history = try await TextHistory(of: .parks, in: service)
    let edits = writers.flatMap(\.edits)
    let faults = history.faults + history.faults(of: edits)
    #expect(faults == [], "seed \(campaign.seed), round \(round)")
    for writer in writers { try await writer.wait(for: history.head) }
    try await server.stop()
    #expect(try await service.verify(depth: .everything).faults.isEmpty)
    tally.edits += edits.count { $0.isSaved }
    tally.versions += history.versionCount
    tally.kills += await server.killCount
    tally.restarts += writers.reduce(0) { $0 + $1.restartCount }
    tally.repeated += meter.repeatedCount
    tally.conflicts += edits.count { $0.reported != nil }
  }

  private struct Tally: CustomStringConvertible {
    var (edits, versions, kills, restarts, repeated, conflicts) = (0, 0, 0, 0, 0, 0)

    var description: String {
      """
      \(edits) edits in \(versions) versions, the server killed \(kills) times and apps \
      \(restarts) times, \(repeated) requests recognised as repeated, \(conflicts) edits given up \
      after their conflict was reported
      """
    }
  }
}

/// The built `listsyncd` on a store and a port, which is killed and started again.
actor KilledServer {
  private let folder: URL
  private let port = LastingPort.free()
  /// A program deletes its folder with itself, so all stay until the end.
  private var programs: [ServerProgram] = []
  private(set) var killCount = 0
  private var isOver = false

  var address: String { "http://127.0.0.1:\(port)" }

  init(folder: URL) async throws {
    self.folder = folder
    try await start()
  }

  private func start() async throws {
    let program = try ServerProgram(folder: folder, port: port)
    programs.append(program)
    _ = try await program.address()
  }

  /// Kills the server at random moments, and starts it again, until this is ended.
  func killAgainAndAgain(_ random: SeededRandom) async throws {
    var random = random
    while !isOver {
      try await Task.sleep(for: .milliseconds(random.number(1...1000)))
      try await stop()
      killCount += 1
      if random.chance(3) { try await Task.sleep(for: .milliseconds(random.number(1...100))) }
      try await start()
    }
  }

  func endKills() { isOver = true }

  func stop() async throws {
    programs.last?.signal(SIGKILL)
    _ = try await programs.last?.end()
  }
}
