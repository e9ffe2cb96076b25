import Foundation
import GRDB
import LocalFiles

/// Opens a replica's file, after a look at what it is.
struct ReplicaFileOpener {
  /// As it was given, for messages.
  let path: String
  let place: FilePlace

  /// - Throws: `ReplicaError.cannotOpen` where no file can be.
  init(_ path: String) throws(ReplicaError) {
    self.path = path
    do throws(FilePlace.Unreachable) {
      place = try FilePlace(path)
    } catch {
      throw .cannotOpen(path: path, reason: error.reason)
    }
    switch place.status?.kind {
    case .regular: break
    case .folder: throw .cannotOpen(path: path, reason: "it is a folder")
    case .pipe, .device: throw .cannotOpen(path: path, reason: "it is a pipe or a device")
    case nil:
      guard access(place.folder, W_OK | X_OK) == 0 else {
        throw .cannotOpen(path: path, reason: String(cString: strerror(errno)))
      }
    }
  }

  /// A connection to the file, which is made where it is not there.
  ///
  /// - Throws: `ReplicaError` of those grouped under opening a file, but for what its rows tell.
  func queue() throws(ReplicaError) -> DatabaseQueue {
    do {
      let queue = try DatabaseQueue(path: place.path, configuration: Self.configuration)
      try queue.read { db in _ = try ReplicaFileSchema.isReplica(db, path: path) }
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

  /// SQLite only reads a file whose header asks for a newer way of writing than its own, and none
  /// of these ever does (https://www.sqlite.org/fileformat.html, 1.3.3).
  private func checkIsWritable() throws {
    guard let file = FileHandle(forReadingAtPath: place.path) else { return }
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

  /// Empties a file that was found damaged, under SQLite's own lock. What SQLite keeps beside an
  /// empty file is none of its any more, and SQLite deletes it.
  ///
  /// - Throws: `ReplicaError.cannotOpen` when another program uses the file, or has changed it.
  func empty() throws(ReplicaError) {
    let file = open(place.path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { throw cannotEmpty(String(cString: strerror(errno))) }
    defer { close(file) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    (lock.l_start, lock.l_len) = Self.lockBytes
    guard fcntl(file, F_SETLK, &lock) == 0 else { throw cannotEmpty("another program uses it") }
    guard FileStatus(path: place.path) == place.status else {
      throw cannotEmpty("another program has changed it")
    }
    guard ftruncate(file, 0) == 0 else { throw cannotEmpty(String(cString: strerror(errno))) }
  }

  /// Where SQLite locks a file (https://www.sqlite.org/lockingv3.html): the pending byte, the
  /// reserved byte and the shared ones.
  private static let lockBytes: (start: off_t, length: off_t) = (0x4000_0000, 2 + 510)

  private func cannotEmpty(_ reason: String) -> ReplicaError {
    .cannotOpen(path: path, reason: "it is damaged, and cannot be begun anew: \(reason)")
  }
}

extension DatabaseError {
  /// What SQLite says, without the statement.
  var reason: String { "\(message ?? "no message") (SQLite code \(extendedResultCode.rawValue))" }

  /// The obstacle to a save.
  var obstacle: SaveObstacle {
    // The file was moved or deleted: SQLITE_READONLY_DBMOVED.
    if extendedResultCode == .SQLITE_READONLY_DBMOVED { return .gone }
    return switch resultCode {
    case .SQLITE_FULL: .full
    case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH: .readOnly
    case .SQLITE_BUSY, .SQLITE_LOCKED: .otherProgram
    default: .unknown
    }
  }
}
