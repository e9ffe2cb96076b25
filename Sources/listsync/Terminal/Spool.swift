import Foundation
import LocalFiles
import Synchronization

/// Bytes that are kept until they are read. Many bytes are in a file without a name, or in memory
/// if the disk has no room.
///
/// An answer is kept here until it is known to be right, or until its transaction has ended, so a
/// slow reader of the answer keeps no transaction open.
final class Spool: Sendable {
  private struct Kept: ~Copyable {
    var file: FileHandle?
    var fileByteCount = 0
    /// The last bytes, which are not in the file yet.
    var bytes: [UInt8] = []
    var isFileFull = false
  }

  private static let pieceByteCount = 1 << 20
  private let kept = Mutex(Kept())

  /// Forgets all bytes.
  func restart() { kept.withLock { $0 = Kept() } }

  func append(_ bytes: some Sequence<UInt8>) {
    kept.withLock { kept in
      kept.bytes += bytes
      guard kept.bytes.count > Self.pieceByteCount, !kept.isFileFull else { return }
      do {
        let file = try kept.file ?? ScratchFile.make()
        kept.file = file
        try file.seek(toOffset: UInt64(kept.fileByteCount))
        try file.write(contentsOf: kept.bytes)
        kept.fileByteCount += kept.bytes.count
        kept.bytes = []
      } catch {
        // A part of these bytes may be in the file, and is not read.
        kept.isFileFull = true
      }
    }
  }

  /// The next bytes from a position on; none at the end.
  func piece(at position: Int) throws -> [UInt8] {
    try kept.withLock { kept in
      let missing = kept.fileByteCount - position
      guard missing > 0, let file = kept.file else {
        return Array(kept.bytes[min(-missing, kept.bytes.count)...])
      }
      try file.seek(toOffset: UInt64(position))
      let piece = try file.read(upToCount: min(missing, Self.pieceByteCount)) ?? Data()
      if piece.isEmpty {
        throw FileError.inputOutput(path: "a temporary file", reason: "it was cut")
      }
      return Array(piece)
    }
  }

  /// Writes all to standard output.
  func writeOutput() throws {
    var position = 0
    while case let piece = try piece(at: position), !piece.isEmpty {
      try Output.write(piece)
      position += piece.count
    }
  }
}
