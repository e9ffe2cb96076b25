import Foundation
import LocalFiles
import Synchronization

/// Bytes that wait until they are read. Many wait in a file without a name; where there is no room
/// for one, in memory.
final class Spool: Sendable {
  private struct Waiting: ~Copyable {
    var file: FileHandle?
    var fileByteCount = 0
    /// The end of the bytes, which is not in the file.
    var bytes: [UInt8] = []
    var isFileFull = false
  }

  private static let pieceByteCount = 1 << 20
  private let waiting = Mutex(Waiting())

  /// Forgets what was added.
  func restart() { waiting.withLock { $0 = Waiting() } }

  func append(_ bytes: some Sequence<UInt8>) {
    waiting.withLock { waiting in
      waiting.bytes += bytes
      guard waiting.bytes.count > Self.pieceByteCount, !waiting.isFileFull else { return }
      do {
        let file = try waiting.file ?? ScratchFile.make()
        waiting.file = file
        try file.seek(toOffset: UInt64(waiting.fileByteCount))
        try file.write(contentsOf: waiting.bytes)
        waiting.fileByteCount += waiting.bytes.count
        waiting.bytes = []
      } catch {
        // A part of these bytes may be in the file, and is not read.
        waiting.isFileFull = true
      }
    }
  }

  /// The next bytes from a position on; none at the end.
  func piece(at position: Int) throws -> [UInt8] {
    try waiting.withLock { waiting in
      let missing = waiting.fileByteCount - position
      guard missing > 0, let file = waiting.file else {
        return Array(waiting.bytes[min(-missing, waiting.bytes.count)...])
      }
      try file.seek(toOffset: UInt64(position))
      let piece = try file.read(upToCount: min(missing, Self.pieceByteCount)) ?? Data()
      if piece.isEmpty {
        throw FileError.inputOutput(path: "a temporary file", reason: "it was cut")
      }
      return Array(piece)
    }
  }
}
