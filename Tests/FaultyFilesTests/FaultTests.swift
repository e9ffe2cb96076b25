import FaultyFiles
import Foundation
import GRDB
import TestSupport
import Testing

@Suite struct FaultTests {
  private static func code(_ body: () throws -> Void) throws -> ResultCode? {
    do {
      try body()
      return nil
    } catch let error as DatabaseError {
      return error.extendedResultCode
    }
  }

  @Test func operationsWithoutAPlanSucceedAndAreCounted() throws {
    let folder = try WatchedFolder()
    do {
      let queue = try folder.open("PRAGMA journal_mode = WAL")
      try queue.run("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
      #expect(folder.faults.openFileCount == 2)
      for operation in FileOperation.allCases where operation != .truncate {
        #expect(folder.faults.counts[operation] ?? 0 > 0, "\(operation)")
      }
      #expect(folder.faults.count(of: [.write]) == folder.faults.counts[.write])
    }
    #expect(folder.faults.openFileCount == 0)
    #expect(
      try WatchedFolder.numbers { try folder.faults.disk.writeImage(to: $0, .allKept) } == [1])
  }

  /// Neither other folders nor folders that are no longer watched.
  @Test func unwatchedFoldersAreNotAffected() throws {
    let (folder, other) = (try WatchedFolder(), try WatchedFolder())
    let queue = try other.open("CREATE TABLE t (x)")
    folder.faults.plan = .suddenEnd(at: 1)
    try queue.run("INSERT INTO t VALUES (1)")
    #expect(folder.faults.counts.isEmpty)
    let plain = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: plain) }
    var faults: FaultyFolder? = try FaultyFolder(plain)
    faults?.plan = .suddenEnd(at: 1)
    faults = nil
    try DatabaseQueue(path: plain.path + "/test.db").run("CREATE TABLE t (x)")
  }

  @Test(arguments: [
    (FileOperation.open, 14), (.write, 778), (.sync, 1034), (.truncate, 1546), (.delete, 2570),
  ])
  func eachKindOfOperationFailsOnceWithItsOwnResultCode(_ operation: FileOperation, _ code: Int)
    throws
  {
    let folder = try WatchedFolder()
    // The journal is opened, written, synced, and in the end cut to nothing or deleted.
    let mode = operation == .truncate ? "TRUNCATE" : "DELETE"
    let queue = try folder.open("CREATE TABLE t (x); PRAGMA journal_mode = \(mode)")
    folder.faults.plan = .error(at: 1, of: [operation])
    let result = try Self.code { try queue.run("INSERT INTO t VALUES (1)") }
    #expect(result == ResultCode(rawValue: CInt(code)))
    #expect(folder.faults.plan?.failureCount == 1)
    try queue.run("DELETE FROM t; INSERT INTO t VALUES (2)")
    #expect(try queue.read { try Int.fetchAll($0, sql: "SELECT x FROM t") } == [2])
  }

  @Test func plannedReadFails() throws {
    let folder = try WatchedFolder()
    try folder.open().run("CREATE TABLE t (x)")
    let queue = try folder.open()
    folder.faults.plan = .error(at: 1, of: [.read])
    #expect(
      try Self.code { try queue.run("SELECT * FROM t") } == .SQLITE_IOERR_READ)
    try queue.run("SELECT * FROM t")
  }

  @Test(arguments: 1...4)
  func onlyThePlannedOperationFails(_ number: Int) throws {
    let folder = try WatchedFolder()
    let queue = try folder.open("PRAGMA journal_mode = WAL; CREATE TABLE t (x)")
    folder.faults.plan = .error(at: number, of: [.sync])
    for count in 1...4 {
      let result = try Self.code { try queue.run("INSERT INTO t VALUES (\(count))") }
      #expect(result == (count == number ? .SQLITE_IOERR_FSYNC : nil))
    }
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 3)
  }

  @Test func shortWriteWritesHalfOfItsBytes() throws {
    let folder = try WatchedFolder()
    let queue = try folder.open("PRAGMA journal_mode = OFF")
    folder.faults.plan = .shortWrite(at: 1)
    #expect(try Self.code { try queue.run("CREATE TABLE t (x)") } == .SQLITE_IOERR_WRITE)
    #expect(folder.byteCount() == 2048)
  }

  @Test func everyOperationFailsAfterASuddenEndUntilThePlanIsRemoved() throws {
    let folder = try WatchedFolder()
    var queue: DatabaseQueue? = try folder.open("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    folder.faults.plan = .suddenEnd(at: 3)
    for _ in 0..<3 {
      #expect(try Self.code { try queue?.run("INSERT INTO t VALUES (2)") } != nil)
    }
    let count = folder.faults.plan?.failureCount ?? 0
    #expect(count > 3)
    #expect(folder.byteCount("-journal") ?? 0 > 0)
    #expect(throws: DatabaseError.self) { try folder.open("SELECT * FROM t") }
    queue = nil
    folder.faults.plan = nil
    #expect(try folder.open().read { try Int.fetchAll($0, sql: "SELECT x FROM t") } == [1])
  }

  @Test func fullDiskRefusesWritesAndAllowsReads() throws {
    let folder = try WatchedFolder()
    let queue = try folder.open("PRAGMA journal_mode = WAL; CREATE TABLE t (x)")
    folder.faults.plan = .diskFull(at: 2)
    for _ in 0..<2 {
      #expect(try Self.code { try queue.run("INSERT INTO t VALUES (1)") } == .SQLITE_FULL)
      #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 0)
    }
    folder.faults.plan = nil
    try queue.run("INSERT INTO t VALUES (1)")
  }

  @Test func fullDiskHasRoomOnlyForExistingSharedMemory() throws {
    let folder = try WatchedFolder()
    do {
      let queue = try folder.open("PRAGMA journal_mode = WAL; CREATE TABLE t (x)")
      folder.faults.plan = .diskFull(at: 1)
      #expect(try folder.open().read { try Int.fetchAll($0, sql: "SELECT x FROM t") } == [])
      withExtendedLifetime(queue) {}
    }
    folder.faults.plan = .diskFull(at: 1)
    #expect(
      try Self.code { _ = try folder.open("SELECT * FROM t") } == .SQLITE_IOERR_SHMSIZE)
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
    let alone = try DatabaseQueue(path: folder.path, configuration: configuration)
    #expect(try alone.read { try Int.fetchAll($0, sql: "SELECT x FROM t") } == [])
  }
}
