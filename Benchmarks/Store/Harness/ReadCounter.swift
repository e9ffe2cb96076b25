import Foundation
import GRDBSQLite

/// SQLite's work for statements on `segments` and `blocks`, on every connection that this
/// process opens after the counter was installed.
struct ReadCount: Equatable {
  /// Rows of segments that statements gave.
  var segmentCount = 0
  /// Rows of blocks that statements gave.
  var blockCount = 0
  /// Steps of statements through whole tables.
  var scanStepCount = 0
  /// Instructions of SQLite's virtual machine: they grow with every row that is looked at, even
  /// where it is not given.
  var instructionCount = 0
}

/// Counts through SQLite's own hooks, so that it asks nothing of the code it measures.
enum ReadCounter {
  /// Unchecked because every access is under its lock.
  private final class Box: @unchecked Sendable {
    private let lock = NSLock()
    private var count = ReadCount()

    func change(_ body: (inout ReadCount) -> Void) { lock.withLock { body(&count) } }
    func take() -> ReadCount {
      lock.withLock {
        defer { count = ReadCount() }
        return count
      }
    }
  }

  private static let box = Box()

  static func install() {
    typealias Entry =
      @convention(c) (
        OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?
      ) -> Int32
    let entry: Entry = { connection, _, _ in
      let events = UInt32(SQLITE_TRACE_ROW | SQLITE_TRACE_PROFILE)
      return sqlite3_trace_v2(connection, events, ReadCounter.note, nil)
    }
    // SQLite declares the parameter without its arguments and casts it back.
    sqlite3_auto_extension(unsafeBitCast(entry, to: (@convention(c) () -> Void).self))
  }

  private static let note:
    @convention(c) (
      UInt32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?,
      UnsafeMutableRawPointer?
    ) -> Int32 = { event, _, statement, _ in
      guard let statement = OpaquePointer(statement), let sql = sqlite3_sql(statement),
        let table = ["segments", "blocks"].first(where: String(cString: sql).contains)
      else { return 0 }
      box.change { count in
        if event == UInt32(SQLITE_TRACE_ROW) {
          if table == "blocks" { count.blockCount += 1 } else { count.segmentCount += 1 }
        } else {
          count.scanStepCount += Int(
            sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1))
          count.instructionCount += Int(
            sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1))
        }
      }
      return 0
    }

  /// The counts since the last call.
  static func take() -> ReadCount { box.take() }
}
