import Foundation
import GRDB
import ListModel
import SyncClient
import TestSupport
import Testing

/// Tests which file is written, and that no file is ever removed.
@Suite final class ReplicaFilePathTests: Sendable {
  private static let source = ReplicaSource(server: "https://lists.example", list: ModelServer.list)
  private static let first = ReplicaStep(from: .empty, to: MachineFixture.server.history[1])
  private let folder: URL

  init() throws { folder = try TemporaryFolder.make() }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func path(_ name: String) -> String { folder.path + "/" + name }

  private func file(
    at path: String, ifDamaged policy: ReplicaFile.DamagePolicy = .fail
  ) -> ReplicaFile {
    ReplicaFile(path: path, source: Self.source, ifDamaged: policy)
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test func replicaFileIsCreatedWithTheFirstSavedList() async throws {
    let file = file(at: path("parks.replica"))
    #expect(try await file.load() == .empty)
    #expect(try names().isEmpty)
    try await file.save(Self.first)
    #expect(try names() == ["parks.replica"])
  }

  @Test func secondOfTwoFirstPullsIsRefusedAndKeepsTheFirstList() async throws {
    let path = path("parks.replica")
    let (winner, loser) = (file(at: path), file(at: path))
    for file in [winner, loser] { #expect(try await file.load() == .empty) }
    try await winner.save(Self.first)
    await #expect {
      try await loser.save(ReplicaStep(from: .empty, to: MachineFixture.server.history[2]))
    } throws: { error in
      guard case ReplicaError.notSaved(_, .otherProgram) = error else { return false }
      return true
    }
    #expect(try await file(at: path).load() == Self.first.after)
  }

  @Test func foreignDatabaseThatAppearsBeforeASaveIsNotModified() async throws {
    let path = path("parks.replica")
    let file = file(at: path)
    _ = try await file.load()
    try await DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t (x)") }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    await #expect(throws: ReplicaError.foreignFile(path: path)) { try await file.save(Self.first) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
  }

  @Test func replicaKeepsIDsWithAnyCharacter() async throws {
    let ids = ["a\u{0}b", "a", "\u{0}", "e\u{301}", "é", "\u{202E}x", "\u{1F}", "🏔"]
    let items = ids.map { id in
      Item(id: ItemID(id), content: Content(canonicalBytes: Array(#"{"a":"\u0000"}"#.utf8)))
    }
    let snapshot = Snapshot(uniqueItems: items)
    let header = VersionHeader(
      version: Version(1), note: CommitNote(time: Timestamp(millisecondsSince1970: 0)),
      root: Root(of: snapshot), previous: .zero)
    let state = ListState(header, count: items.count)
    let copy = try ListCopy(state: state, snapshot: snapshot)
    let path = path("parks.replica")
    let file = file(at: path)
    _ = try await file.load()
    try await file.save(ReplicaStep(from: .empty, to: copy))
    let loaded = try await self.file(at: path).load()
    #expect(loaded == copy)
    #expect(loaded.snapshot.items.map(\.id.text) == ids)
  }

  @Test(arguments: [":memory:", "file:x", "a?mode=memory", "%20", "a#b", "-"])
  func nameThatSQLiteWouldInterpretIsUsedAsAFileName(name: String) async throws {
    let file = file(at: path(name))
    _ = try await file.load()
    try await file.save(Self.first)
    #expect(try names() == [name])
    #expect(try await self.file(at: path(name)).load() == Self.first.after)
  }

  @Test func linkIsFollowedEvenBeforeItsTargetExists() async throws {
    let (link, target) = (path("link"), path("target"))
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "target")
    let file = file(at: link)
    _ = try await file.load()
    try await file.save(Self.first)
    #expect(try names() == ["link", "target"])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "target")
    #expect(try await self.file(at: target).load() == Self.first.after)
  }

  @Test func pathWithoutARegularFileIsRefusedAndChangesNothing() async throws {
    let (loop, pipe) = (path("loop"), path("pipe"))
    try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: "loop")
    #expect(mkfifo(pipe, 0o600) == 0)
    try await DatabaseQueue(path: path("other.db")).write {
      try $0.execute(sql: "CREATE TABLE t (x)")
    }
    let before = try names()
    let bad = [
      "", folder.path, folder.path + "/", path("none/x"), path("other.db/"), path("x/"),
      path("none/../other.db"), path("."), path(".."), loop, pipe, path("a\u{0}b"),
      path(String(repeating: "x", count: 300)),
    ]
    for path in bad {
      await #expect {
        try await self.file(at: path, ifDamaged: .startOver).load()
      } throws: { error in
        guard case ReplicaError.cannotOpen = error else { return false }
        return true
      }
      #expect(try names() == before, "\(path)")
    }
  }

  @Test func damagedFileIsEmptiedInPlaceUnlessItIsInUse() async throws {
    let path = path("parks.replica")
    let file = file(at: path)
    _ = try await file.load()
    try await file.save(Self.first)
    let damaging = try DatabaseQueue(path: path)
    try await damaging.write { try $0.execute(sql: "DELETE FROM items") }
    try damaging.close()
    // A hard link shows whether the file stays the same.
    let other = self.path("other")
    #expect(link(path, other) == 0)
    #expect(try await self.file(at: path, ifDamaged: .startOver).load() == .empty)
    #expect(try Data(contentsOf: URL(fileURLWithPath: other)).isEmpty)
  }

  @Test func saveReportsAFileThatWasMovedAway() async throws {
    let path = path("parks.replica")
    let file = file(at: path)
    _ = try await file.load()
    try await file.save(Self.first)
    #expect(rename(path, self.path("elsewhere")) == 0)
    await #expect {
      try await file.save(
        ReplicaStep(from: Self.first.after, to: MachineFixture.server.history[2]))
    } throws: { error in
      guard case ReplicaError.notSaved(_, .gone) = error else { return false }
      return true
    }
  }
}
