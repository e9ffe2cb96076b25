import Foundation
import GRDB

/// Opens a replica's file, after a look at what it is.
struct ReplicaFileOpener {
  let path: String

  /// - Throws: `ReplicaError` of those grouped under opening a file, but for what its rows tell.
  func queue() throws(ReplicaError) -> DatabaseQueue {
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      throw .cannotOpen(path: path, reason: "it is a folder")
    }
    do {
      let queue = try DatabaseQueue(path: path, configuration: Self.configuration)
      try queue.read { db in try look(db) }
      try checkIsWritable()
      return queue
    } catch let error as ReplicaError {
      throw error
    } catch let error as DatabaseError {
      throw Self.failure(error, at: path)
    } catch {
      throw .cannotOpen(path: path, reason: "\(error)")
    }
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA synchronous = FULL")
    }
    return configuration
  }

  private func look(_ db: Database) throws {
    let application = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    let format = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    if application == ReplicaFileSchema.applicationID {
      guard format <= ReplicaFileSchema.format else {
        throw ReplicaError.newerFile(
          path: path, format: format, known: ReplicaFileSchema.format)
      }
      return
    }
    let isEmpty = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0
    guard application == 0, format == 0, isEmpty else {
      throw ReplicaError.foreignFile(path: path)
    }
  }

  /// SQLite only reads a file whose header asks for a newer way of writing than its own, and none of
  /// these ever does (https://www.sqlite.org/fileformat.html, 1.3.3).
  private func checkIsWritable() throws {
    guard let file = FileHandle(forReadingAtPath: path) else { return }
    defer { try? file.close() }
    let header = try file.read(upToCount: 19) ?? Data()
    guard header.count < 19 || header[18] <= 2 else {
      throw ReplicaError.damagedFile(path: path, reason: "its header forbids to write it")
    }
  }

  /// What SQLite reports while a file is opened and read.
  static func failure(_ error: DatabaseError, at path: String) -> ReplicaError {
    switch error.resultCode {
    case .SQLITE_NOTADB: .foreignFile(path: path)
    case .SQLITE_CORRUPT, .SQLITE_ERROR, .SQLITE_MISMATCH:
      .damagedFile(path: path, reason: error.reason)
    default: .cannotOpen(path: path, reason: error.reason)
    }
  }

  /// Removes the file and what SQLite keeps beside it.
  func delete() throws(ReplicaError) {
    do {
      for suffix in ["-journal", "-wal", "-shm", ""]
      where FileManager.default.fileExists(atPath: path + suffix) {
        try FileManager.default.removeItem(atPath: path + suffix)
      }
    } catch {
      throw .cannotOpen(path: path, reason: error.localizedDescription)
    }
  }
}

extension DatabaseError {
  /// What SQLite says, without the statement.
  var reason: String { "\(message ?? "no message") (SQLite code \(extendedResultCode.rawValue))" }
}
