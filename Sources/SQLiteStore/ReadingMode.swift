import Foundation
import ListStore
import LocalFiles

/// How a store is opened that is only to be read.
enum ReadingMode: Equatable {
  /// As everybody opens it: whoever reads may have to make the files of the log, and hands them
  /// over.
  case shared
  /// The files of the log are there, and this process may not write them.
  case readOnly
  /// Without locks, since this process may write neither the file nor beside it. No file is made,
  /// so no other process meets a file that it cannot write.
  case unlocked

  /// - Throws: `StoreError.cannotOpen` where the store has a log that only a process that may write
  ///   can bring into the file.
  init(of path: StorePath) throws(StoreError) {
    if Self.isWritable(path.resolved), Self.isWritable(path.folder) {
      self = .shared
    } else if FileIdentity(path: path.sharedMemory) != nil {
      self = .readOnly
    } else if FileStatus(path: path.log)?.byteCount ?? 0 == 0 {
      self = .unlocked
    } else {
      throw .cannotOpen(
        path: path.name,
        reason: "commits are in its log, which only a process that may write the store can read")
    }
  }

  /// Whether this process may write, by its effective user, and the file system lets anybody.
  private static func isWritable(_ path: String) -> Bool {
    faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0
  }
}
