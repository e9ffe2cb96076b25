import GRDB
import GRDBSQLite

/// How the file of a store is opened: always with page checksums.
package enum StoreConnection {
  /// What SQLite is to open in place of a path, so that pages have checksums.
  ///
  /// - Throws: `StoreError.cannotOpen` where this SQLite library cannot be asked for them.
  package static func address(of path: String) throws -> String {
    guard sqlite3_compileoption_used("USE_URI") != 0 else {
      throw StoreError.cannotOpen(
        path: path, reason: "this SQLite library was built without SQLITE_USE_URI")
    }
    guard ChecksumVFS.isRegistered else {
      throw StoreError.cannotOpen(path: path, reason: "SQLite refused the layer of page checksums")
    }
    // An empty authority, so that a path may start with two slashes.
    let start = path.hasPrefix("/") ? "file://" : "file:"
    return "\(start)\(encoded(path))?vfs=\(ChecksumVFS.name)"
  }

  /// The path with every byte but the plainest as `%` and two digits.
  private static func encoded(_ path: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/".utf8)
    let bytes = path.utf8.flatMap { byte in
      plain.contains(byte)
        ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// - Parameter sharesMemory: false for a connection alone, with the index of the log in its own memory.
  static func configuration(
    busyTimeoutSeconds: Double = SQLiteStore.busyTimeoutSeconds, sharesMemory: Bool = true
  ) -> Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(busyTimeoutSeconds)
    if !sharesMemory { configuration.withholdMemory() }
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA cache_size = -\(cacheByteCount >> 10)")
    }
    return configuration
  }

  /// What a connection may keep in memory of the file: enough for the upper levels of the trees of
  /// millions of rows, which 2 MB, SQLite's own choice, are not.
  private static let cacheByteCount = 64 << 20
}

extension Configuration {
  /// Makes a connection keep the index of the log in its own memory. Nobody else can use the file
  /// meanwhile, nor is anybody: there would be shared memory.
  ///
  /// - Precondition: Nothing else is set yet that reads the file when the connection is made.
  ///
  /// Source: https://www.sqlite.org/wal.html, section 8.
  mutating func withholdMemory() {
    // The lock is one of those that only who may write can have.
    readonly = false
    prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
  }
}

extension Database {
  /// The bytes that this database leaves free at the end of each page, as far as it was read.
  var reservedByteCount: Int {
    var count: Int32 = -1
    sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
    return Int(count)
  }

  /// Leaves room for checksums where the database is still empty; else from the next `VACUUM` on.
  func reserveRoomForChecksums() {
    var count = Int32(PageChecksum.byteCount)
    sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
  }

  /// Whether something was written to the file ever.
  func hasPages() throws -> Bool { try Int.fetchOne(self, sql: "PRAGMA page_count") ?? 0 > 0 }
}
