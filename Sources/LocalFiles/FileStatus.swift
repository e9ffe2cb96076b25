import Foundation

/// What the system says of a file that is there. Where two statuses of a path are equal, nobody wrote
/// the file in between.
package struct FileStatus: Equatable, Sendable {
  package enum Kind: Sendable {
    case regular, folder
    /// A FIFO, a socket, or an open file of a process.
    case pipe
    case device
  }

  package let kind: Kind
  package let identity: FileIdentity
  package let user: uid_t
  package let group: gid_t
  package let permissions: mode_t
  /// How many names the file has.
  package let linkCount: Int
  package let byteCount: Int
  private let changedAt: [Int]

  /// Follows links; nil where there is no file.
  package init?(path: String) {
    var found = stat()
    guard stat(path, &found) == 0 else { return nil }
    self.init(found)
  }

  init(_ found: stat, kind: Kind? = nil) {
    self.kind = kind ?? Self.kind(found.st_mode)
    identity = FileIdentity(found)
    (user, group) = (found.st_uid, found.st_gid)
    permissions = found.st_mode & 0o7777
    linkCount = Int(found.st_nlink)
    byteCount = Int(found.st_size)
    #if canImport(Darwin)
      let times = [found.st_mtimespec, found.st_ctimespec]
    #else
      let times = [found.st_mtim, found.st_ctim]
    #endif
    changedAt = times.flatMap { [Int($0.tv_sec), Int($0.tv_nsec)] }
  }

  /// The status of an open file of a process: whatever it is, it is written into and never replaced.
  static func stream(_ path: String) -> FileStatus? {
    var found = stat()
    return stat(path, &found) == 0 ? FileStatus(found, kind: .pipe) : nil
  }

  private static func kind(_ mode: mode_t) -> Kind {
    switch mode & S_IFMT {
    case S_IFREG: .regular
    case S_IFDIR: .folder
    case S_IFIFO, S_IFSOCK: .pipe
    default: .device
    }
  }
}

/// Which file a name leads to, whatever the name is.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64

  init(_ found: stat) {
    device = UInt64(truncatingIfNeeded: found.st_dev)
    inode = UInt64(found.st_ino)
  }

  /// Nil where there is no file, or the system does not tell: `errno` then says why.
  package init?(path: String) {
    var found = stat()
    guard stat(path, &found) == 0 else { return nil }
    self.init(found)
  }

  /// Nil where nothing is open there.
  init?(descriptor: Int32) {
    var found = stat()
    guard fstat(descriptor, &found) == 0 else { return nil }
    self.init(found)
  }
}
