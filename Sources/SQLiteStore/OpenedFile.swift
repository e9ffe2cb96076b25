import Foundation
import ListStore
import LocalFiles
import Synchronization

/// The file of an open store, and its write-ahead log.
///
/// If another file takes the place of one of them, or one is removed, the open connections keep the
/// old file, which no longer has a path. A commit into it would be lost when they close, so it must
/// not be acknowledged. To copy a backup into the file, people remove the log first, and the check
/// finds this: SQLite itself never removes the log while a connection with locks is open.
final class OpenedFile: Sendable {
  private let path: String
  /// The identity of the file; nil for a store without a file.
  private let identity: FileIdentity?
  private let logPath: String
  /// The identity of the log; nil if there was none, or it may be removed meanwhile.
  private let logIdentity: FileIdentity?
  private let comparisons = Atomic<Int>(0)

  /// - Parameters:
  ///   - file: the path of a store from which a connection has read.
  ///   - hasLocks: whether other processes respect this connection.
  init(_ file: StorePath, hasLocks: Bool) {
    (path, logPath) = (file.resolved, file.writeAheadLog)
    identity = FileStatus(path: path)?.identity
    logIdentity = hasLocks ? FileStatus(path: logPath)?.identity : nil
  }

  /// The number of times that the path was compared with the file.
  var comparisonCount: Int { comparisons.load(ordering: .relaxed) }

  /// Compares the paths with the files that were opened, by one `stat` each.
  ///
  /// - Throws: `StoreError.replaced` if a path names another file, or none.
  func check() throws(StoreError) {
    guard let identity else { return }
    comparisons.add(1, ordering: .relaxed)
    guard Self.isInPlace(identity, at: path), Self.isInPlace(logIdentity, at: logPath) else {
      throw .replaced(store: path)
    }
  }

  /// Whether the file is in its place and the log is not, as after a backup was copied into the
  /// file. Closing the last connection would then copy the former log over the backup.
  var hasLostItsLog: Bool {
    guard let identity, FileStatus(path: path)?.identity == identity else { return false }
    return !Self.isInPlace(logIdentity, at: logPath)
  }

  /// - Parameter identity: nil for a file that is not compared.
  private static func isInPlace(_ identity: FileIdentity?, at path: String) -> Bool {
    guard let identity else { return true }
    let found = FileStatus(path: path)?.identity
    // If a folder cannot be searched now, nothing is known about the file.
    if found == nil, errno != ENOENT, errno != ENOTDIR { return true }
    return found == identity
  }
}
