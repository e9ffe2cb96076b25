import Foundation
import LocalFiles
import Synchronization

/// The stores that this process has open.
///
/// A process loses all its locks on a file when it closes any descriptor of it, so files of a store
/// that is open are never opened beside SQLite.
enum OpenStores {
  private static let counts = Mutex<[FileIdentity: Int]>([:])

  static func add(_ identity: FileIdentity) { counts.withLock { $0[identity, default: 0] += 1 } }

  static func remove(_ identity: FileIdentity) {
    counts.withLock { counts in
      counts[identity, default: 1] -= 1
      if counts[identity] == 0 { counts[identity] = nil }
    }
  }

  /// Whether any process has the store open, as far as its locks tell.
  static func has(_ path: StorePath) -> Bool {
    guard let identity = path.identity else { return false }
    if counts.withLock({ $0[identity] != nil }) { return true }
    let descriptor = open(path.sharedMemory, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // Every connection holds this byte of the shared memory; the first to open it recovers the log.
    // Source: sqlite3's os_unix.c, "UNIX_SHM_DMS".
    var lock = flock()
    (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
    (lock.l_start, lock.l_len) = (128, 1)
    return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
  }
}
