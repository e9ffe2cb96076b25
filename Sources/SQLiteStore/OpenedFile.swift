import Foundation
import ListStore
import LocalFiles
import Synchronization

/// The file of an open store.
///
/// If another file takes its place, or the file is removed, the open connections keep the old file,
/// which no path names any more. A commit into it would be lost when they close, so it must not be
/// acknowledged.
final class OpenedFile: Sendable {
  private let path: String
  /// Nil for a store without a file.
  private let identity: FileIdentity?
  private let comparisons = Atomic<Int>(0)

  /// - Parameter path: of a store whose connections are open, and close before this value goes.
  init(path: String) {
    self.path = path
    identity = FileStatus(path: path)?.identity
    if let identity { Self.counts.withLock { $0[identity, default: 0] += 1 } }
  }

  deinit {
    guard let identity else { return }
    Self.counts.withLock { counts in
      counts[identity, default: 1] -= 1
      if counts[identity] == 0 { counts[identity] = nil }
    }
  }

  /// How often the path was compared with the file.
  var comparisonCount: Int { comparisons.load(ordering: .relaxed) }

  /// Compares the path with the file that was opened, by one `stat`.
  ///
  /// - Throws: `StoreError.replaced` if the path names another file, or none.
  func check() throws(StoreError) {
    guard let identity else { return }
    comparisons.add(1, ordering: .relaxed)
    let found = FileStatus(path: path)?.identity
    // A folder that cannot be searched now says nothing about the file.
    if found == nil, errno != ENOENT, errno != ENOTDIR { return }
    guard found == identity else { throw .replaced(store: path) }
  }

  /// The files of the stores that this process has open. A process loses all its locks on a file
  /// when it closes any descriptor of it, so only SQLite may open these.
  private static let counts = Mutex<[FileIdentity: Int]>([:])

  /// Whether any process has a store open, judged by its locks.
  static func isOpen(_ path: StorePath) -> Bool {
    guard let identity = path.identity else { return false }
    if counts.withLock({ $0[identity] != nil }) { return true }
    let descriptor = open(path.sharedMemory, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // Every connection locks this byte of the shared memory; the first one recovers the log.
    // Source: sqlite3's os_unix.c, "UNIX_SHM_DMS".
    var lock = flock()
    (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
    (lock.l_start, lock.l_len) = (128, 1)
    return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
  }
}
