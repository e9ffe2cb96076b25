import Foundation
import GRDB
import LocalFiles

/// Opens a replica's file, after checking its kind.
struct ReplicaFileOpener {
  /// The path as given, for messages.
  let path: String
  let place: FilePlace

  /// - Throws: `ReplicaError.cannotOpen` when no file can be there.
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

  /// A connection to the file. Creates the file if it does not exist, unless it is only read.
  ///
  /// - Throws: one of the errors of `ReplicaError` listed under "When a file is opened". Its rows
  ///   are not read.
  func queue(isReadOnly: Bool = false) throws(ReplicaError) -> DatabaseQueue {
    do {
      if isReadOnly { try checkIsReplica() }
      var configuration = Self.configuration
      configuration.readonly = isReadOnly
      let queue = try DatabaseQueue(path: place.path, configuration: configuration)
      try queue.read { db in _ = try ReplicaFileSchema.isReplica(db, path: path) }
      if !isReadOnly { try checkIsWritable() }
      return queue
    } catch let error as DatabaseError
      where isReadOnly && error.extendedResultCode == .SQLITE_READONLY_ROLLBACK
    {
      // Only a writer can roll back an interrupted save.
      return try self.queue()
    } catch {
      throw ReplicaError(opening: path, error)
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

  /// SQLite refuses to write a file whose header has a write version above 2
  /// (https://www.sqlite.org/fileformat.html, 1.3.3). A replica never writes such a header.
  private func checkIsWritable() throws {
    guard let header = try header(), header.count > 18, header[18] > 2 else { return }
    throw ReplicaError.damagedFile(path: path, reason: "its header forbids to write it")
  }

  /// Refuses another file before SQLite opens it. When SQLite only reads a database in WAL mode, it
  /// creates files next to it and leaves them there.
  private func checkIsReplica() throws {
    guard let header = try header() else { return }
    guard header.dropFirst(68).reduce(0, { $0 << 8 | Int($1) }) == ReplicaFileSchema.applicationID
    else { throw ReplicaError.foreignFile(path: path) }
  }

  /// The file's bytes up to the application id; fewer of a shorter file, nil if it cannot be read.
  private func header() throws -> Data? {
    guard let file = FileHandle(forReadingAtPath: place.path) else { return nil }
    defer { try? file.close() }
    return try file.read(upToCount: 72) ?? Data()
  }

  /// Empties a damaged file under SQLite's lock. SQLite then deletes the journal of the old
  /// content.
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

  /// The bytes that SQLite locks (https://www.sqlite.org/lockingv3.html): the pending byte, the
  /// reserved byte and the shared ones.
  private static let lockBytes: (start: off_t, length: off_t) = (0x4000_0000, 2 + 510)

  private func cannotEmpty(_ reason: String) -> ReplicaError {
    .cannotOpen(path: path, reason: "it is damaged, and cannot be emptied: \(reason)")
  }
}

extension ReplicaError {
  /// The error of a file that is opened and read.
  init(opening path: String, _ error: any Error) {
    if let error = error as? ReplicaError {
      self =
        switch error {
        case .damagedFile(_, let reason), .changedRows(_, _, let reason):
          .damagedFile(path: path, reason: reason)
        default: error
        }
    } else if let error = error as? DatabaseError {
      self =
        switch error.resultCode {
        case .SQLITE_NOTADB: .foreignFile(path: path)
        case .SQLITE_CORRUPT, .SQLITE_ERROR, .SQLITE_MISMATCH:
          .damagedFile(path: path, reason: error.reason)
        default: .cannotOpen(path: path, reason: error.reason)
        }
    } else {
      self = .cannotOpen(path: path, reason: "\(error)")
    }
  }
}

extension DatabaseError {
  /// SQLite's message, without the statement.
  package var reason: String {
    "\(message ?? "no message") (SQLite code \(extendedResultCode.rawValue))"
  }

  /// The obstacle to a save.
  package var obstacle: SaveObstacle {
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
