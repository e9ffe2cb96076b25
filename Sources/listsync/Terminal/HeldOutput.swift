import Foundation
import LocalFiles
import Synchronization
import Terminal

/// An answer that is not written before it is known to be right. A long one waits in a file; where
/// there is no room for one, in memory.
final class HeldOutput: Sendable {
  private struct Waiting: ~Copyable {
    var file: FileHandle?
    var fileByteCount = 0
    /// The end of the answer, which is not in the file.
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
        try file.write(contentsOf: waiting.bytes)
        waiting.fileByteCount += waiting.bytes.count
        waiting.bytes = []
      } catch {
        // A part of these bytes may be in the file, and is not read.
        waiting.isFileFull = true
      }
    }
  }

  /// Writes all to standard output.
  func release() throws {
    try waiting.withLock { waiting in
      try waiting.file?.seek(toOffset: 0)
      var missing = waiting.fileByteCount
      while missing > 0 {
        let piece = try waiting.file?.read(upToCount: min(missing, Self.pieceByteCount)) ?? Data()
        if piece.isEmpty {
          throw FileError.inputOutput(path: "standard output", reason: "a temporary file was cut")
        }
        try Output.write(piece)
        missing -= piece.count
      }
      try Output.write(waiting.bytes)
    }
  }
}
