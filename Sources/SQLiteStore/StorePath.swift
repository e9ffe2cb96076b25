import Foundation
import ListStore
import LocalFiles

/// The path of a store. SQLite opens the same file that is examined here.
struct StorePath: Sendable {
  /// The path as given, for messages.
  let name: String
  private let place: FilePlace

  /// Finds the file that a name leads to.
  ///
  /// - Throws: `StoreError.cannotOpen` if no store can have this name: its folder is missing, or
  ///   the name leads to a folder, a device, a FIFO, a dangling link, or a file with several names;
  ///   `.notFound` if the file or its folder is missing and the store must not be created.
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

  /// Returns the reason why no store can be at a place; nil if one can.
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

  /// The longest name of a store's file. It leaves room for the suffixes of the other files that
  /// SQLite creates.
  private static let longestNameByteCount = 255 - "-journal".utf8.count

  /// The absolute path, without links.
  var resolved: String { place.path }
  var folder: String { place.folder }
  var isThere: Bool { place.status != nil }
  /// The identity of the file; nil if there is no file yet.
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

  /// Returns whether this process may write a file or a folder: its effective user has the right,
  /// and the file system is writable.
  static func isWritable(_ path: String) -> Bool {
    faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0
  }
}
