import Foundation

/// The status of a file. If two statuses of a path are equal, the file was not written in between.
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

  /// Follows links; nil with `errno` set if there is no file, or its status is refused.
  package init?(path: String) {
    guard let found = stat(path: path) else { return nil }
    self.init(found)
  }

  /// - Parameter kind: nil to derive it from the mode.
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

  private static func kind(_ mode: mode_t) -> Kind {
    switch mode & S_IFMT {
    case S_IFREG: .regular
    case S_IFDIR: .folder
    case S_IFIFO, S_IFSOCK: .pipe
    default: .device
    }
  }
}

/// The identity of a file, which all its names share.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64

  init(_ found: stat) {
    device = UInt64(truncatingIfNeeded: found.st_dev)
    inode = UInt64(found.st_ino)
  }
}

extension stat {
  /// Follows links; nil with `errno` set if there is no file.
  init?(path: String) {
    self.init()
    if stat(path, &self) != 0 { return nil }
  }
}

extension FileStatus {
  /// The number of bytes that this process can add to the file system of a file; nil if unknown.
  package static func freeByteCount(at path: String) -> Int? {
    let found = try? FileManager.default.attributesOfFileSystem(forPath: path)
    return found?[.systemFreeSize] as? Int
  }
}
