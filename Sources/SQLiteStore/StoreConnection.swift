import GRDB
import GRDBSQLite
import ListStore

/// How connections to a store are set.
enum StoreConnection {
  /// - Parameter sharesMemory: false for a connection alone, with the index of the log in its own
  ///   memory.
  static func configuration(
    busyTimeoutSeconds: Double = SQLiteStore.busyTimeoutSeconds, sharesMemory: Bool = true
  ) -> Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(busyTimeoutSeconds)
    if !sharesMemory { configuration.withholdMemory() }
    configuration.prepareDatabase { db in
      DigestedTable.installDigest(in: db)
      // Cells of damaged pages are found when the page is read, not when they are used.
      try db.execute(
        sql: "PRAGMA cell_size_check = ON; PRAGMA cache_size = -\(cacheByteCount >> 10)")
    }
    return configuration
  }

  /// What a connection may keep in memory of the file: enough for the upper levels of the trees of
  /// millions of rows, which 2 MB, SQLite's own choice, are not.
  private static let cacheByteCount = 64 << 20

  /// An address by which SQLite reads a file without locks and without files beside it.
  ///
  /// - Returns: nil where this SQLite library takes no addresses.
  /// - Source: https://www.sqlite.org/uri.html, "immutable".
  static func unlockedAddress(of path: StorePath) -> String? {
    guard sqlite3_compileoption_used("USE_URI") != 0 else { return nil }
    let digits = Array("0123456789ABCDEF".utf8)
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/".utf8)
    let bytes = path.resolved.utf8.flatMap { byte in
      plain.contains(byte)
        ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return "file://\(String(decoding: bytes, as: UTF8.self))?immutable=1"
  }
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
