import Foundation
import TestSupport

/// The shared settings of all rows: sizes, programs, and a folder for files.
final class Workbench {
  let scale: Double
  let rounds: Int
  let listsync: String
  let python: String
  let folder: URL
  private var fileCount = 0
  private(set) lazy var stores = Stores(bench: self)

  init(
    scale: Double, rounds: Int, listsync: String, python: String, parent: String?
  ) throws {
    self.scale = scale
    self.rounds = rounds
    self.listsync = URL(fileURLWithPath: listsync).path
    self.python = python
    if let parent {
      folder = URL(fileURLWithPath: parent).appendingPathComponent("store-benchmarks")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } else {
      folder = try TemporaryFolder.make()
    }
    guard FileManager.default.isExecutableFile(atPath: self.listsync) else {
      throw Skipped(reason: "there is no program at \(self.listsync): make build makes it")
    }
  }

  func cleanUp() { try? FileManager.default.removeItem(at: folder) }

  /// A count of items or versions at the scale of this run.
  func scaled(_ count: Int) -> Int { max(1, Int((Double(count) * scale).rounded())) }

  /// A new path in the folder, without a file.
  func newPath(_ name: String) -> String {
    fileCount += 1
    return folder.appendingPathComponent("\(fileCount)-\(name)").path
  }

  /// A copy of a database that no process has open. The copy is flushed to the disk, so that a
  /// later flush only writes later changes.
  func copy(ofDatabase path: String) throws -> String {
    let copy = newPath("copy.db")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: copy))
    try file.synchronize()
    try file.close()
    return copy
  }

  /// Removes a database with the files that SQLite keeps beside it.
  func remove(database path: String) {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
  }
}
