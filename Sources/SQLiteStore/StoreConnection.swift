import Foundation
import GRDB
import GRDBSQLite
import ListStore
import LocalFiles
import Synchronization

/// The way in which a store is opened.
enum StoreMode: Equatable {
  case write
  /// Reading with the locks and files that a writer uses.
  case read
  /// Reading in a process that may not write the file or its folder, while the files of the
  /// write-ahead log exist.
  case readOnly
  /// Reading without locks, in a process that may write neither the file nor its folder. It creates
  /// no file that another process could not write.
  case unlocked

  /// Chooses the mode in which this process can read a store.
  ///
  /// - Throws: `StoreError.cannotOpen` if the store has a write-ahead log that only a process with
  ///   the right to write can recover.
  init(reading path: StorePath) throws(StoreError) {
    if StorePath.isWritable(path.resolved), StorePath.isWritable(path.folder) {
      self = .read
    } else if FileStatus(path: path.sharedMemory) != nil {
      self = .readOnly
    } else if FileStatus(path: path.writeAheadLog)?.byteCount ?? 0 == 0 {
      self = .unlocked
    } else {
      throw .cannotOpen(
        store: path.name,
        reason: "commits are in its log, which only a process that may write the store can read")
    }
  }
}

/// The settings of connections to a store.
enum StoreConnection {
  /// Returns the configuration of a connection.
  ///
  /// - Parameter sharesMemory: if false, the index of the write-ahead log is in the connection's
  ///   own memory, and no other connection can use the file at the same time. (If there is no
  ///   shared memory, no other connection is open.) Source: https://www.sqlite.org/wal.html,
  ///   section 8.
  static func configuration(
    busyTimeoutSeconds: Double, sharesMemory: Bool = true
  ) -> Configuration {
    var configuration = Configuration()
    // The schema has none.
    configuration.foreignKeysEnabled = false
    configuration.busyMode = .timeout(busyTimeoutSeconds)
    if !sharesMemory {
      // This must come before any other reading.
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
    }
    configuration.prepareDatabase { db in
      // Finds damaged cells when a page is read, not when they are used. The schema of a file from
      // somebody else calls no function that has effects.
      try db.execute(
        sql: """
          PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;
          PRAGMA cache_size = -\(cacheByteCount >> 10)
          """)
    }
    return configuration
  }

  /// The size of the page cache: enough for the upper levels of the trees of millions of rows.
  /// SQLite's default of 2 MB is too small for these.
  private static let cacheByteCount = 32 << 20

  /// Opens the first connection to a store.
  static func open(
    _ path: StorePath, _ mode: StoreMode, busyTimeoutSeconds: Double
  ) throws -> DatabaseQueue {
    var configuration = self.configuration(busyTimeoutSeconds: busyTimeoutSeconds)
    configuration.readonly = mode == .readOnly || mode == .unlocked
    if mode == .unlocked {
      guard let address = unlockedAddress(of: path) else {
        throw StoreError.cannotOpen(
          store: path.name, reason: "neither the file nor its folder can be written")
      }
      return try DatabaseQueue(path: address, configuration: configuration)
    }
    do {
      return try DatabaseQueue(path: path.resolved, configuration: configuration)
    } catch let error as DatabaseError where mode == .read && error.lacksRoomForSharedMemory {
      return try DatabaseQueue(
        path: path.resolved,
        configuration: self.configuration(
          busyTimeoutSeconds: busyTimeoutSeconds, sharesMemory: false))
    }
  }

  /// Returns an address with which SQLite reads a file without locks, and creates no files next to
  /// it.
  ///
  /// - Returns: nil if this SQLite library accepts no addresses.
  /// - Source: https://www.sqlite.org/uri.html, "immutable".
  private static func unlockedAddress(of path: StorePath) -> String? {
    guard sqlite3_compileoption_used("USE_URI") != 0 else { return nil }
    return path.resolved.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed).map {
      "file://\($0)?immutable=1"
    }
  }
}

/// A connection that is opened when it is first used.
final class LazyConnection<Connection: DatabaseReader>: Sendable {
  private let connection = Mutex<Connection?>(nil)
  private let open: @Sendable () throws -> Connection

  init(_ open: @escaping @Sendable () throws -> Connection) { self.open = open }

  func opened() throws -> Connection {
    try connection.withLock { connection in
      let opened = try connection ?? open()
      connection = opened
      return opened
    }
  }

  func close() { try? connection.withLock { try $0?.close() } }
}
