import Foundation
import TestSupport

/// A file system mounted over a folder as long as this object exists.
final class PathMount: Sendable {
  private let path: String

  struct Refused: Error {}

  /// Mounts a disk in memory.
  init(kilobyteCount: Int, at path: RawPath) throws {
    self.path = path.description
    try Self.run("mount", "-t", "tmpfs", "-o", "size=\(kilobyteCount)k", "tmpfs", self.path)
  }

  /// Mounts a folder over itself, read-only.
  init(readOnly path: RawPath) throws {
    self.path = path.description
    try Self.run("mount", "--bind", self.path, self.path)
    try Self.run("mount", "-o", "remount,ro,bind", self.path)
  }

  // Lazily: a program that still runs must not block it.
  deinit { try? Self.run("umount", "-l", path) }

  /// Whether this process may mount.
  static let isAllowed: Bool = {
    let folder = RawPath(NSTemporaryDirectory()) / RawPath("listsync-mount-\(getpid())")
    guard (try? folder.makeFolder()) != nil else { return false }
    defer { _ = folder.call { rmdir($0) } }
    return (try? PathMount(kilobyteCount: 64, at: folder)) != nil
  }()

  private static func run(_ words: String...) throws {
    guard Command.succeeds(words) else { throw Refused() }
  }
}
