import Foundation

/// A disk of a few kilobytes in memory, removed with this object. It needs an administrator on
/// Linux.
package final class SmallDisk: Sendable {
  package let folder: URL

  package struct Refused: Error {}

  package init(kilobyteCount: Int) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("listsync-disk-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    guard
      Command.succeeds([
        "mount", "-t", "tmpfs", "-o", "size=\(kilobyteCount)k", "tmpfs", folder.path,
      ])
    else {
      try? FileManager.default.removeItem(at: folder)
      throw Refused()
    }
  }

  deinit {
    // Lazily: a program that still runs must not block the unmounting.
    if Command.succeeds(["umount", "-l", folder.path]) {
      try? FileManager.default.removeItem(at: folder)
    }
  }

  /// Whether this process can mount one.
  package static let isAllowed = (try? SmallDisk(kilobyteCount: 64)) != nil

  private var filling: URL { folder.appendingPathComponent("filling") }

  /// Fills the disk, except for some room.
  package func fill(leavingKilobyteCount rest: Int = 0) throws {
    emptyOut()
    try Data().write(to: filling)
    let file = try FileHandle(forWritingTo: filling)
    defer { try? file.close() }
    let kilobyte = Data(count: 1024)
    while (try? file.write(contentsOf: kilobyte)) != nil {}
    let byteCount = try file.seekToEnd()
    try file.truncate(atOffset: byteCount - min(byteCount, UInt64(rest) * 1024))
  }

  /// Frees the room that `fill` used.
  package func emptyOut() { try? FileManager.default.removeItem(at: filling) }
}
