import FaultyFiles
import Foundation
import GRDB
import TestSupport

/// A watched folder with room for one database, which goes when this goes.
final class WatchedFolder: Sendable {
  let url: URL
  let faults: FaultyFolder

  init() throws {
    url = try TemporaryFolder.make()
    faults = try FaultyFolder(url)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  var path: String { url.appendingPathComponent("test.db").path }

  func open(_ pragmas: String = "") throws -> DatabaseQueue {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { try $0.execute(sql: pragmas) }
    return queue
  }

  func byteCount(_ ending: String = "") -> Int? {
    (try? Data(contentsOf: URL(fileURLWithPath: path + ending)))?.count
  }

  /// The numbers in table `t` of what an image holds; nil where there is no such table.
  static func numbers(_ writeImage: (URL) throws -> Void) throws -> [Int]? {
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    try writeImage(folder)
    let queue = try DatabaseQueue(path: folder.appendingPathComponent("test.db").path)
    return try queue.read { db in
      guard try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"] else {
        throw DatabaseError(resultCode: .SQLITE_CORRUPT)
      }
      return try db.tableExists("t") ? Int.fetchAll(db, sql: "SELECT x FROM t") : nil
    }
  }
}

extension DatabaseQueue {
  func run(_ sql: String) throws { try writeWithoutTransaction { try $0.execute(sql: sql) } }
}
