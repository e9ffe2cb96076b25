import Foundation
import GRDB
import ListModel
import TestSupport
import Testing

@testable import ListStore
@testable import SQLiteStore

@Suite struct WriteAheadLogTests {
  private static let frameByteCount = 24 + 4096
  private static let commitCount = 6

  /// The files of a killed process: a store, and a write-ahead log with some commits, each of one
  /// more item.
  private func killedStore(restarted: Bool = false) async throws -> StoreFolder {
    let (living, killed) = (try StoreFolder(), try StoreFolder())
    let store = try living.open()
    if restarted { for number in 0..<20 { try await store.append(["a=\(number)"]) } }
    try await store.withoutTransaction { db in
      // The next commit then starts the write-ahead log anew, over its old frames.
      let mode = restarted ? "RESTART" : "TRUNCATE"
      _ = try Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(\(mode))")
      try db.execute(sql: "CREATE TABLE spare (x)")
    }
    for number in 1..<Self.commitCount {
      try await store.append((0..<number).map { "item-\($0)" }, to: "list")
    }
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: living.path + ending, toPath: killed.path + ending)
    }
    withExtendedLifetime(store) {}
    return killed
  }

  private func log(_ folder: StoreFolder) throws -> WriteAheadLog {
    try #require(try WriteAheadLog(path: folder.path + "-wal"))
  }

  private func write(_ log: Data, _ folder: StoreFolder) throws {
    try log.write(to: URL(fileURLWithPath: folder.path + "-wal"))
  }

  /// The versions that SQLite finds in the write-ahead log, in a copy, since opening folds it in.
  private func head(_ folder: StoreFolder) async throws -> Int {
    let copy = try StoreFolder()
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: folder.path + ending, toPath: copy.path + ending)
    }
    return try await copy.open(.fail).read { reader in
      try reader.list(ListName("list")!)?.head.number ?? 0
    }
  }

  /// The frames that end a commit.
  private func commitFrames(_ log: Data) -> [Int] {
    (0..<(log.count - 32) / Self.frameByteCount).filter { frame in
      let start = 32 + frame * Self.frameByteCount
      return log[start + 4..<start + 8].contains { $0 != 0 }
        && log[start + 8..<start + 16] == log[16..<24]
    }
  }

  @Test(arguments: [false, true])
  func readerOfASoundWALAgreesWithSQLite(restarted: Bool) async throws {
    let folder = try await killedStore(restarted: restarted)
    let log = try log(folder)
    #expect(log.damage == nil)
    #expect(log.commitCount == Self.commitCount)
    #expect(try await head(folder) == Self.commitCount - 1)
    let bytes = try #require(try folder.bytes()["test.db-wal"])
    let frameCount = (bytes.count - 32) / Self.frameByteCount
    let last = try #require(commitFrames(bytes).last)
    // The rest of the earlier write-ahead log is behind it.
    #expect((last < frameCount - 1) == restarted)
  }

  @Test func walThatIsCutAnywhereIsTreatedAsCutOff() async throws {
    let folder = try await killedStore()
    let whole = try #require(try folder.bytes()["test.db-wal"])
    let ends = commitFrames(whole).map { 32 + ($0 + 1) * Self.frameByteCount }
    let places = Array(stride(from: 0, to: whole.count, by: 1021)) + ends.flatMap { [$0 - 1, $0] }
    for byteCount in places {
      try write(whole.prefix(byteCount), folder)
      let log = try log(folder)
      let expected = ends.filter { $0 <= byteCount }.count
      #expect(log.damage == nil && log.commitCount == expected, "\(byteCount) bytes")
    }
    for end in ends.dropFirst().dropLast() {
      try write(whole.prefix(end + 5000), folder)
      #expect(try await head(folder) == ends.firstIndex(of: end))
    }
  }

  /// Any sectors of the last commit may be missing.
  @Test func walWithATornLastCommitIsTreatedAsCutOff() async throws {
    var random = SeededRandom.forThisRun()
    let folder = try await killedStore()
    let whole = try #require(try folder.bytes()["test.db-wal"])
    let start = 32 + (commitFrames(whole).dropLast().last! + 1) * Self.frameByteCount
    for _ in 0..<60 {
      var torn = whole
      for sector in start / 512...(whole.count - 1) / 512 where Bool.random(using: &random) {
        let range = max(start, sector * 512)..<min(whole.count, (sector + 1) * 512)
        torn.replaceSubrange(range, with: Data(count: range.count))
      }
      try write(torn, folder)
      let log = try log(folder)
      #expect(log.damage == nil, "seed \(random.seed)")
      let isWhole = torn == whole
      #expect(log.commitCount == Self.commitCount - (isWhole ? 0 : 1), "seed \(random.seed)")
    }
    // (A commit whose missing sectors were zeros anyway is complete.)
    try write(whole.dropLast(Self.frameByteCount / 2), folder)
    #expect(try await head(folder) == Self.commitCount - 2)
  }

  @Test func flippedBitBeforeTheLastCommitIsDamageAndLeavesTheFilesUnchanged() async throws {
    var random = SeededRandom.forThisRun()
    let folder = try await killedStore()
    let whole = try #require(try folder.bytes()["test.db-wal"])
    let commits = commitFrames(whole)
    for frame in 0...commits[commits.count - 2] {
      let start = 32 + frame * Self.frameByteCount
      // The page's number, the salt, the checksum, and some bytes of the page.
      for place in [0, 3, 8, 15, 16, 23, 24, 4119, Int.random(in: 24..<4120, using: &random)] {
        var bytes = whole
        bytes[start + place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        try write(bytes, folder)
        let damage = try log(folder).damage
        #expect(
          damage?.frame == frame + 1 && damage?.byteOffset == start
            && damage?.commitCount ?? 0 >= 2,
          "frame \(frame + 1), byte \(place), seed \(random.seed): \(String(describing: damage))")
      }
      let before = try folder.bytes()
      for open in [{ _ = try SQLiteStore(readingFrom: folder.path) }, { _ = try folder.open() }] {
        let error = #expect(throws: StoreError.self) { try open() }
        guard case .corrupt(let reason) = error else {
          Issue.record("expected .corrupt, got \(String(describing: error))")
          continue
        }
        #expect(reason.hasPrefix("frame \(frame + 1) (byte \(start)) of its write-ahead log"))
        #expect(reason.contains("test.db-wal"))
      }
      #expect(try folder.bytes() == before)
    }
  }

  @Test func walWithADamagedHeaderIsDamaged() async throws {
    let folder = try await killedStore()
    let whole = try #require(try folder.bytes()["test.db-wal"])
    for bit in 0..<WALHeader.byteCount * 8 {
      var bytes = whole
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      try write(bytes, folder)
      let damage = try log(folder).damage
      #expect(damage?.frame == nil && damage?.commitCount ?? 0 >= 2, "bit \(bit)")
    }
    #expect(throws: StoreError.self) { try folder.open() }
    try write(Data(repeating: 7, count: 50_000), folder)
    #expect(try log(folder).damage == nil, "what never was a log holds no commits")
  }

  @Test func tornHeaderOfARestartedWALLosesNoCommitAndIsAccepted() async throws {
    let (living, torn) = (try StoreFolder(), try StoreFolder())
    let store = try living.open()
    for number in 1...Self.commitCount {
      try await store.append((0..<number).map { "item-\($0)" }, to: "list")
    }
    // The file has the whole write-ahead log, and the next commit starts it anew.
    try await store.withoutTransaction {
      _ = try Row.fetchOne($0, sql: "PRAGMA wal_checkpoint(RESTART)")
    }
    let files = try living.bytes()
    withExtendedLifetime(store) {}
    for cut in stride(from: 1, through: 31, by: 6) {
      var log = try #require(files["test.db-wal"])
      for byte in cut..<WALHeader.byteCount { log[byte] = ~log[byte] }
      try write(log, torn)
      try #require(files["test.db"]).write(to: URL(fileURLWithPath: torn.path))
      #expect(try self.log(torn).damage?.commitCount ?? 0 >= 2)
      #expect(try await head(torn) == Self.commitCount)
      // If one page is not in the file, commits would be lost.
      var file = try #require(files["test.db"])
      let page = log[32..<36].reduce(0) { $0 << 8 | Int($1) }
      file[page * 4096 - 1] ^= 1
      try file.write(to: URL(fileURLWithPath: torn.path))
      #expect(throws: StoreError.self) { try torn.open(.fail) }
    }
  }

  @Test func walIsNeverTreatedAsDamagedDuringWrites() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    let isDone = Task {
      for number in 0..<150 {
        try await store.append((0..<3).map { "item-\($0)=\(number)" })
        guard number % 10 == 0 else { continue }
        try await store.withoutTransaction { db in
          _ = try Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(RESTART)")
        }
      }
    }
    let path = try StorePath(folder.path, ifAbsent: .fail)
    for _ in 0..<100 { try path.refuseDamagedLog() }
    try await isDone.value
    #expect(try log(folder).damage == nil)
  }
}
