import GRDB
import ListStore
import RawSQLite
import Synchronization

/// A connection that only ever asks whether anybody committed, this process or another.
///
/// SQLite counts, for each connection, the commits that it finds others to have made; what a
/// connection commits itself does not count, and inside a transaction nothing new is found. So it
/// neither writes nor reads, and no other question is asked of it.
///
/// Source: https://www.sqlite.org/pragma.html#pragma_data_version
final class CommitWatch: Sendable {
  private let path: String
  private let busyTimeoutSeconds: Double
  /// Opened for the first question.
  private let connection = Mutex<DatabaseQueue?>(nil)

  init(path: String, busyTimeoutSeconds: Double) {
    self.path = path
    self.busyTimeoutSeconds = busyTimeoutSeconds
  }

  /// - Throws: `DatabaseError`.
  func mark() async throws -> StateMark {
    try await opened().unsafeRead { db in
      let statement = try RawStatement(db, "PRAGMA data_version")
      defer { statement.reset() }
      guard try statement.step() else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
      return StateMark(Int(statement.integer(0)))
    }
  }

  private func opened() throws -> DatabaseQueue {
    try connection.withLock { connection in
      if let connection { return connection }
      var configuration = StoreConnection.configuration(busyTimeoutSeconds: busyTimeoutSeconds)
      configuration.readonly = true
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      connection = queue
      return queue
    }
  }

  func close() { try? connection.withLock { try $0?.close() } }
}
