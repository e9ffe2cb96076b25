import Foundation
import LocalFiles
import Synchronization
import Terminal

/// An answer that is not written before it is known to be right. A long one waits in a file.
final class HeldOutput: Sendable {
  private struct Waiting: ~Copyable {
    var bytes: [UInt8] = []
    var file: FileHandle?
  }

  private static let highestByteCount = 1 << 20
  private let waiting = Mutex(Waiting())

  /// Forgets what was added.
  func restart() { waiting.withLock { $0 = Waiting() } }

  func append(_ bytes: some Sequence<UInt8>) throws {
    try waiting.withLock { waiting in
      waiting.bytes += bytes
      guard waiting.bytes.count > Self.highestByteCount else { return }
      let file = try waiting.file ?? ScratchFile.make()
      waiting.file = file
      do {
        try file.write(contentsOf: waiting.bytes)
      } catch {
        throw FileError.inputOutput(
          path: FileManager.default.temporaryDirectory.path, reason: Failure.reason(error))
      }
      waiting.bytes = []
    }
  }

  /// Writes all to standard output.
  func release() throws {
    try waiting.withLock { waiting in
      if let file = waiting.file {
        try file.seek(toOffset: 0)
        while let bytes = try file.read(upToCount: Self.highestByteCount), !bytes.isEmpty {
          try Output.write(bytes)
        }
      }
      try Output.write(waiting.bytes)
    }
  }
}
