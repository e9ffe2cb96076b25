import Foundation
import ListStore
import LocalFiles

/// The path of a store. The file that is examined here is the file that SQLite opens.
struct StorePath: Sendable {
  /// As given, for messages.
  let name: String
  private let place: FilePlace

  /// - Throws: `StoreError.cannotOpen` if no store can have this name: its folder is missing, or it
  ///   is a folder, a device, a FIFO, a dangling link, or a file with several names; `.notFound` if
  ///   the file or its folder is missing and the store must not be created.
  init(_ name: String, ifAbsent absence: SQLiteStore.Absence) throws(StoreError) {
    guard !name.isEmpty else {
      throw .cannotOpen(store: name, reason: "the name of the store is empty")
    }
    self.name = name
    do throws(FilePlace.Unreachable) {
      place = try FilePlace(name)
    } catch {
      throw absence == .fail && error.isMissing
        ? .notFound(store: name) : .cannotOpen(store: name, reason: error.reason)
    }
    if let reason = Self.obstacle(place) { throw .cannotOpen(store: name, reason: reason) }
    if !isThere, absence == .fail { throw .notFound(store: name) }
  }

  /// Why no store can be at a place; nil if one can.
  private static func obstacle(_ place: FilePlace) -> String? {
    if place.name.utf8.count > longestNameByteCount {
      return "its name has more than \(longestNameByteCount) bytes"
    }
    guard let status = place.status else {
      return place.isBehindLink ? "it is a link that leads to no file" : nil
    }
    return switch status.kind {
    case .regular where status.linkCount > 1:
      """
      it has other names (hard links), and SQLite would keep a log for each name; remove the other \
      names, or copy the file
      """
    case .regular: nil
    case .folder: "it is a folder"
    case .pipe: "it is a FIFO, not a file"
    case .device: "it is not a file"
    }
  }

  /// Leaves room for the suffixes of the files that SQLite creates beside a store.
  private static let longestNameByteCount = 255 - "-journal".utf8.count

  /// Absolute and without links.
  var resolved: String { place.path }
  var folder: String { place.folder }
  var isThere: Bool { place.status != nil }
  /// Nil where there is no file yet.
  var identity: FileIdentity? { place.status?.identity }
  var writeAheadLog: String { resolved + "-wal" }
  var sharedMemory: String { resolved + "-shm" }
}

extension StorePath {
  /// Refuses a file that this process may not write. SQLite would create the write-ahead log first,
  /// and the file's owner could then not write that log.
  ///
  /// - Throws: `StoreError.cannotOpen`.
  func checkWritable() throws(StoreError) {
    guard isThere, !Self.isWritable(resolved) else { return }
    throw .cannotOpen(store: name, reason: String(cString: strerror(errno)))
  }

  /// Whether this process may write, by its effective user, on a writable file system.
  static func isWritable(_ path: String) -> Bool {
    faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0
  }

  /// Refuses a store whose write-ahead log is damaged in the middle: SQLite would open the store
  /// without the commits behind the damage, silently.
  ///
  /// Reads the write-ahead log only where SQLite is about to recover it: no process has the store
  /// open.
  ///
  /// - Throws: `StoreError.corrupt`, which says where, and how many commits lie behind.
  /// - Complexity: O(n) for a write-ahead log of n bytes; the file is gone once the last program
  ///   has closed the store.
  func checkWriteAheadLog() throws {
    if isThere, !OpenedFile.isOpen(self) { try refuseDamagedLog() }
  }

  func refuseDamagedLog() throws {
    var earlier: WriteAheadLog?
    // A process with exclusive use of the file holds no lock on shared memory, and may be writing.
    // So only damage that stays the same is refused.
    for waitMilliseconds in [0, 2, 20, 100] {
      usleep(UInt32(waitMilliseconds) * 1000)
      guard let found = try WriteAheadLog(path: writeAheadLog), let damage = found.damage else {
        return
      }
      if let earlier, earlier.header != found.header || earlier.damage?.frame != damage.frame {
        return
      }
      earlier = found
    }
    // A power cut while SQLite restarts a write-ahead log damages its header, and loses nothing.
    guard let damage = earlier?.damage, earlier?.pages?.areStored(in: resolved) != true else {
      return
    }
    let place = damage.frame.map { "frame \($0) (byte \(damage.byteOffset))" } ?? "the header"
    throw StoreError.corrupt(
      reason: """
        \(place) of its write-ahead log \(URL(fileURLWithPath: writeAheadLog).lastPathComponent) \
        is not what was written, and \(damage.commitCount) commits lie behind it; to go on without \
        what the log holds, move it away
        """)
  }
}
