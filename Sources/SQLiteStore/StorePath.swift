import Foundation
import ListStore
import LocalFiles

/// Where a store lies. The file that is examined here is the file that SQLite opens.
struct StorePath: Sendable {
  /// As it was given, for messages.
  let name: String
  private let place: FilePlace

  /// - Throws: `StoreError.cannotOpen` where the name cannot be that of a store: its folder is
  ///   missing, or it is a folder, a device, a FIFO, a link to nothing, or a file with several
  ///   names; `.notFound` where the file or its folder is missing and the store is not to be made.
  init(_ name: String, ifAbsent absence: SQLiteStore.Absence) throws(StoreError) {
    guard !name.isEmpty else {
      throw .cannotOpen(path: name, reason: "the name of the store is empty")
    }
    self.name = name
    do throws(FilePlace.Unreachable) {
      place = try FilePlace(name)
    } catch {
      throw absence == .fail && error.isMissing
        ? .notFound(path: name) : .cannotOpen(path: name, reason: error.reason)
    }
    if let reason = Self.obstacle(place) { throw .cannotOpen(path: name, reason: reason) }
    if !isThere, absence == .fail { throw .notFound(path: name) }
  }

  /// Why a place cannot be that of a store; nil where it can.
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

  /// Leaves room for the endings of the files that SQLite makes beside a store.
  private static let longestNameByteCount = 255 - "-journal".utf8.count

  /// Refuses a file that this process may not write: SQLite would make its log first, and another
  /// user's next commit would find a log that it may not write.
  ///
  /// - Throws: `StoreError.cannotOpen`.
  func checkWritable() throws(StoreError) {
    guard isThere, faccessat(AT_FDCWD, resolved, W_OK, AT_EACCESS) != 0 else { return }
    throw .cannotOpen(path: name, reason: String(cString: strerror(errno)))
  }

  /// Absolute and without links.
  var resolved: String { place.path }
  var folder: String { place.folder }
  var isThere: Bool { place.status != nil }
  /// Nil where there is no file yet.
  var identity: FileIdentity? { place.status?.identity }
  var log: String { resolved + "-wal" }
  var sharedMemory: String { resolved + "-shm" }
}
