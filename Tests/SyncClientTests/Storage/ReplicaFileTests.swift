import Foundation
import GRDB
import ListChanges
import ListModel
import TestSupport
import Testing

@testable import SyncClient

@Suite final class ReplicaFileTests: Sendable {
  private static let source = ReplicaSource(server: "https://lists.example", list: ModelServer.list)
  private let folder: URL
  private var path: String { folder.appendingPathComponent("parks.replica").path }

  init() throws { folder = try TemporaryFolder.make() }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func file(_ policy: ReplicaFile.DamagePolicy = .fail) -> ReplicaFile {
    ReplicaFile(path: path, source: Self.source, ifDamaged: policy)
  }

  /// Makes a file with a list, and changes the file without the replica.
  private func spoiled(_ sql: String) async throws {
    let file = file()
    _ = try await file.load()
    try await file.save(ReplicaStep(from: .empty, to: MachineFixture.server.history[1]))
    try await DatabaseQueue(path: path).writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  @Test func savedCopyIsReadBackWhenTheFileIsReopened() async throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<4 {
      let server = ModelServer.random(versionCount: 12, using: &random)
      let folder = try TemporaryFolder.make()
      defer { try? FileManager.default.removeItem(at: folder) }
      let path = folder.appendingPathComponent("x").path
      var file = ReplicaFile(path: path, source: Self.source)
      #expect(try await file.load() == .empty)
      for version in 1..<server.history.count {
        try await file.save(
          ReplicaStep(from: server.history[version - 1], to: server.history[version]))
        if random.chance(2) {
          file = ReplicaFile(path: path, source: Self.source)
          #expect(try await file.load() == server.history[version], "seed \(random.seed)")
        }
      }
      #expect(try await ReplicaFile(path: path, source: Self.source).load() == server.head)
    }
  }

  @Test func fileIsReadWithoutItsSource() async throws {
    let file = file()
    _ = try await file.load()
    try await file.save(ReplicaStep(from: .empty, to: MachineFixture.server.history[1]))
    let (source, copy) = try await ReplicaFile.read(path)
    #expect(source == Self.source && copy == MachineFixture.server.history[1])
    let absent = path + "x"
    await #expect(
      throws: ReplicaError.cannotOpen(path: absent, reason: "there is no such file")
    ) { try await ReplicaFile.read(absent) }
    #expect(!FileManager.default.fileExists(atPath: absent))
  }

  @Test func fewChangesOfALongListWriteFewRows() async throws {
    let queue = try DatabaseQueue()
    var server = ModelServer()
    let texts = (1...5_000).map { "i\($0)" }
    server.commit(texts)
    server.commit(Array(["new"] + texts.dropFirst().dropLast(2)) + ["i4999=7", "i5000"])
    try await queue.write { try ReplicaFileSchema.createIfEmpty($0, Self.source, path: "") }
    let whole = ReplicaStep(from: .empty, to: server.history[1])
    let first = try await CopyState.saving(whole, nil, in: queue) {
      try CopyState.read($0, Self.source, ItemTable(ofFile: ""))
    }
    let before = try await queue.read { $0.totalChangesCount }
    let step = ReplicaStep(from: server.history[1], to: server.head)
    #expect(step.changes.count == 3)
    _ = try await CopyState.saving(step, nil, in: queue) { _ in first }
    let after = try await queue.read { $0.totalChangesCount }
    #expect(after - before == 3 + 2 + 1, "items, two groups, the state")
  }

  @Test func failedSaveLeavesThePreviousCopyAndCanBeRepeated() async throws {
    let file = file()
    _ = try await file.load()
    let server = MachineFixture.server
    try await file.save(ReplicaStep(from: .empty, to: server.history[1]))
    let outside = try DatabaseQueue(path: path)
    try await outside.write { db in
      try db.execute(
        sql: """
          CREATE TRIGGER refusal BEFORE UPDATE ON listsync_copies WHEN NEW.state <> OLD.state
          BEGIN SELECT RAISE(ABORT, 'refused'); END
          """)
    }
    let step = ReplicaStep(from: server.history[1], to: server.history[2])
    await #expect {
      try await file.save(step)
    } throws: { error in
      guard case ReplicaError.notSaved(let reason, _) = error else { return false }
      return reason.contains("refused")
    }
    #expect(try await self.file().load() == server.history[1])
    try await outside.write { try $0.execute(sql: "DROP TRIGGER refusal") }
    try await file.save(step)
    #expect(try await self.file().load() == server.history[2])
  }

  @Test func secondReplicaOnTheSameFileSavesNothing() async throws {
    let server = {
      var server = ModelServer()
      for texts in [["a", "b", "c"], ["a", "b"], ["a", "c"]] { server.commit(texts) }
      return server
    }()
    let (first, second) = (file(), file())
    _ = try await first.load()
    try await first.save(ReplicaStep(from: .empty, to: server.history[1]))
    _ = try await second.load()
    try await first.save(ReplicaStep(from: server.history[1], to: server.history[2]))
    // The second replica's writes do not affect the first one's, except for the state.
    await #expect(
      throws: ReplicaError.notSaved(
        reason: "another program has written to the file", cause: .otherProgram)
    ) {
      try await second.save(ReplicaStep(from: server.history[1], to: server.history[3]))
    }
    #expect(try await file().load() == server.history[2])
  }

  @Test func sessionsWithOneFileTakeTurns() async throws {
    let transport = FakeTransport(MachineFixture.server)
    func session() -> ReplicaSession {
      ReplicaSession(
        ReplicaMachine.Options(list: ModelServer.list, watches: false), transport: transport,
        storage: file(), clock: .immediate)
    }
    let (first, second) = (session(), session())
    for session in [first, second] {
      try await session.start()
      try await session.settle()
    }
    for round in 0..<3 {
      await transport.change { server in
        server.commit(server.head.snapshot.items.map(\.id.text) + ["others\(round)"])
      }
      for (number, session) in [first, second].enumerated() {
        await session.resume()
        try await session.settle()
        // The copy of this session is older than the file from the second session on.
        try await session.edit { $0.insert(ModelServer.item("mine\(round).\(number)"), at: 0) }
        try await session.waitForEdits()
        await session.resume()
        try await session.settle()
        #expect(await session.copy == transport.server.head)
      }
    }
    let head = await transport.server.head
    #expect(head.snapshot.items.count { $0.id.text.hasPrefix("mine") } == 6)
    #expect(try await file().load() == head)
  }

  /// What others change in an open file is not taken for the list of the server.
  @Test func rowThatIsChangedInAnOpenFileIsNamed() async throws {
    let transport = FakeTransport(MachineFixture.server)
    let session = ReplicaSession(
      ReplicaMachine.Options(list: ModelServer.list, watches: false), transport: transport,
      storage: file(), clock: .immediate)
    try await session.start()
    try await session.settle()
    let id = try #require(await session.copy.snapshot.items.first?.id)
    try await DatabaseQueue(path: path).write {
      try $0.execute(sql: "UPDATE items SET content = x'7b7d' WHERE id = ?", arguments: [id.text])
    }
    await transport.change { server in
      server.commit(server.head.snapshot.items.map(\.id.text) + ["others"])
    }
    await session.resume()
    await #expect {
      try await session.settle()
    } throws: { error in
      guard case ReplicaError.changedRows(let table, [id], _) = error else { return false }
      return table.contains(self.path)
    }
  }

  @Test func fileOfAnotherListOrServerIsRefusedByName() async throws {
    try await spoiled("SELECT 1")
    for (server, list) in [("https://other.example", "parks"), ("https://lists.example", "lakes")] {
      let other = ReplicaFile(
        path: path, source: ReplicaSource(server: server, list: ListName(list)!),
        ifDamaged: .startOver)
      await #expect(
        throws: ReplicaError.otherSource(
          path: path, found: "parks at https://lists.example", expected: "\(list) at \(server)")
      ) { try await other.load() }
    }
  }

  /// It belongs to another program, or is not an SQLite file.
  @Test func fileOfAnotherProgramOrFormatIsRefusedUnchanged() async throws {
    let other = folder.appendingPathComponent("other.db")
    try await DatabaseQueue(path: other.path).write { try $0.execute(sql: "CREATE TABLE t (x)") }
    let text = folder.appendingPathComponent("notes.txt")
    try Data(repeating: 65, count: 5000).write(to: text)
    for url in [other, text] {
      let bytes = try Data(contentsOf: url)
      let file = ReplicaFile(path: url.path, source: Self.source, ifDamaged: .startOver)
      await #expect(throws: ReplicaError.foreignFile(path: url.path)) { try await file.load() }
      #expect(try Data(contentsOf: url) == bytes)
    }
  }

  @Test func fileOfANewerFormatIsRefused() async throws {
    try await spoiled("PRAGMA user_version = 7")
    let (file, path) = (file(.startOver), path)
    await #expect(throws: ReplicaError.newerFile(path: path, format: 7, known: 1)) {
      try await file.load()
    }
  }

  @Test(arguments: [
    #"UPDATE items SET content = x'7b7d' WHERE id = 'b'"#, "DELETE FROM items WHERE id = 'b'",
    "UPDATE items SET id = 'other' WHERE id = 'b'", "UPDATE items SET id = x'80' WHERE id = 'b'",
    "INSERT INTO items VALUES ('z', 99, x'30')", "UPDATE items SET place = -place",
    "UPDATE items SET place = 'x' WHERE id = 'b'",
    "DELETE FROM listsync_groups", "UPDATE listsync_groups SET groups = x''",
    "UPDATE listsync_groups SET groups = x'00'",
    "UPDATE listsync_groups SET groups = 'none'", "UPDATE listsync_groups SET hash = zeroblob(32)",
    "UPDATE listsync_groups SET count = count + 1", "UPDATE listsync_groups SET count = -1",
    "UPDATE listsync_groups SET count = 9223372036854775807",
    "UPDATE listsync_groups SET first_place = 'x'",
    "UPDATE listsync_copies SET state = 'x'", "UPDATE listsync_copies SET state = x'00'",
    "UPDATE listsync_copies SET state = json_set(state, '$.count', 9)",
    "UPDATE listsync_copies SET state = json_set(state, '$.author', 'Eve')",
    "UPDATE listsync_copies SET state = json_remove(state, '$.previous')",
    "UPDATE listsync_copies SET to_copy = zeroblob(8)", "UPDATE listsync_copies SET items = 'x'",
    "UPDATE listsync_copies SET revision = 'x'",
    "UPDATE listsync_copies SET revision = 9223372036854775807",
    "UPDATE listsync_copies SET list = ''", "UPDATE listsync_copies SET server = x'80'",
    "INSERT INTO listsync_edits SELECT copy, 1, 'x', '', '', '' FROM listsync_copies",
    "DELETE FROM listsync_copies", "DROP TABLE items", "DROP TABLE listsync_copies",
    """
    DROP TABLE items; DROP TABLE listsync_copies; DROP TABLE listsync_groups;
    DROP TABLE listsync_edits
    """,
  ])
  func damagedFileIsRefusedByNameOrStartedOverOnRequest(sql: String) async throws {
    try await spoiled(sql)
    let file = file()
    await #expect {
      try await file.load()
    } throws: { error in
      guard case ReplicaError.damagedFile = error else { return false }
      return true
    }
    let again = self.file(.startOver)
    #expect(try await again.load() == .empty)
    try await again.save(ReplicaStep(from: .empty, to: MachineFixture.server.head))
    #expect(try await self.file().load() == MachineFixture.server.head)
  }

  @Test func flippedBitInAFileIsReportedOrChangesNothingThatIsRead() async throws {
    try await spoiled("SELECT 1")
    let good = try Data(contentsOf: URL(fileURLWithPath: path))
    var random = SeededRandom.forThisRun()
    var foundCount = 0
    for number in 0..<150 {
      var bytes = good
      bytes[random.number(0...bytes.count - 1)] ^= UInt8(1 << random.number(0...7))
      let url = folder.appendingPathComponent("flipped-\(number)")
      try bytes.write(to: url)
      do {
        let copy = try await ReplicaFile(path: url.path, source: Self.source).load()
        #expect(copy == MachineFixture.server.history[1])
      } catch {
        foundCount += 1
      }
    }
    #expect(foundCount > 0)
  }

  @Test func readableFileThatCannotBeWrittenIsDamagedAndStartedOver() async throws {
    // A byte of the header (found by LossyTransportCampaign), and an invalid list of free pages.
    try await spoiled("CREATE TABLE room (x); INSERT INTO room VALUES (zeroblob(9000))")
    try await DatabaseQueue(path: path).write { try $0.execute(sql: "DROP TABLE room") }
    let good = try Data(contentsOf: URL(fileURLWithPath: path))
    for place in [18, 35] {
      var bytes = good
      bytes[place] ^= 0x10
      try bytes.write(to: URL(fileURLWithPath: path))
      await #expect {
        try await self.file().load()
      } throws: { error in
        guard case ReplicaError.damagedFile = error else { return false }
        return true
      }
      let again = file(.startOver)
      #expect(try await again.load() == .empty)
      try await again.save(ReplicaStep(from: .empty, to: MachineFixture.server.head))
      #expect(try await self.file().load() == MachineFixture.server.head)
    }
  }
}
