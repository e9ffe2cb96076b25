import Foundation

/// A disk of a few kilobytes in memory, which goes when this goes. Only who administers a Linux
/// machine may have one.
package final class SmallDisk: Sendable {
  package let folder: URL

  package struct Refused: Error {}

  package init(kilobyteCount: Int) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("listsync-disk-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    guard
      Self.run(["mount", "-t", "tmpfs", "-o", "size=\(kilobyteCount)k", "tmpfs", folder.path])
    else {
      try? FileManager.default.removeItem(at: folder)
      throw Refused()
    }
  }

  deinit {
    // Lazily: a program that still runs must not keep the disk for ever.
    if Self.run(["umount", "-l", folder.path]) { try? FileManager.default.removeItem(at: folder) }
  }

  /// Whether there can be one here.
  package static let isAllowed = (try? SmallDisk(kilobyteCount: 64)) != nil

  private var filling: URL { folder.appendingPathComponent("filling") }

  /// Takes all the room that is left but for some.
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

  /// Gives back the room that filling took.
  package func emptyOut() { try? FileManager.default.removeItem(at: filling) }

  private static func run(_ words: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
