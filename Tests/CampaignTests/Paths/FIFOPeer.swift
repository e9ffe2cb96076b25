import Foundation
import Synchronization

/// The process at the other end of a named pipe: it writes bytes for a reader, or reads all bytes
/// of a writer. It has a thread of its own, since the program waits only some seconds for it and a
/// task may have to wait longer for its turn.
final class FIFOPeer: Sendable {
  enum Deed: Sendable {
    case gives([UInt8])
    case takes
  }

  private let isOver = Mutex(false)

  /// Acts until ``end()``, which the caller calls after the end of the program.
  init(_ deed: Deed, at path: RawPath) {
    Thread { [self] in
      switch deed {
      case .gives(let bytes): give(bytes, at: path)
      case .takes: take(at: path)
      }
    }.start()
  }

  func end() { isOver.withLock { $0 = true } }

  /// Waits a moment.
  ///
  /// - Returns: whether it is to continue.
  private func pause() -> Bool {
    usleep(1000)
    return isOver.withLock { !$0 }
  }

  private func give(_ bytes: [UInt8], at path: RawPath) {
    repeat {
      // Opening fails until a reader has the pipe open.
      let file = path.call { open($0, O_WRONLY | O_NONBLOCK | O_CLOEXEC) }
      guard file >= 0 else { continue }
      // With a reader of its own, this process gets no signal when the program closes its end.
      let reader = path.call { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
      // The documents are shorter than a pipe's buffer.
      _ = write(file, bytes, bytes.count)
      close(reader)
      close(file)
      // It gives no more: a program may open its input only once.
      return
    } while pause()
  }

  private func take(at path: RawPath) {
    let file = path.call { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
    guard file >= 0 else { return }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while read(file, &buffer, buffer.count) > 0 || pause() {}
  }
}
