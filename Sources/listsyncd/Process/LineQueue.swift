import Foundation
import Synchronization

/// Writes lines to a descriptor in their order. The caller never waits.
///
/// An unread pipe, a full disk or a closed descriptor costs lines, never an answer. Lines that do
/// not fit are dropped and counted, and the count is written when there is room.
final class LineQueue: Sendable {
  static let output = LineQueue(descriptor: STDOUT_FILENO)
  static let errors = LineQueue(descriptor: STDERR_FILENO)

  private struct State {
    var waiting: [UInt8] = []
    var droppedCount = 0
    var isWriting = false
    var describeLoss: @Sendable (Int) -> String = {
      "listsyncd: \($0) lines were dropped here: the reader was too slow"
    }
  }

  private let descriptor: Int32
  private let byteLimit: Int
  private let state = Mutex(State())
  private let writer = DispatchQueue(label: "listsyncd.lines")

  /// - Parameter byteLimit: how many bytes may wait; as many more may be in the middle of a write.
  init(descriptor: Int32, byteLimit: Int = 1 << 20) {
    self.descriptor = descriptor
    self.byteLimit = byteLimit
  }

  /// How many lines were dropped since the last report.
  var droppedCount: Int { state.withLock { $0.droppedCount } }

  /// Sets the line that tells how many lines were dropped.
  func describeLoss(by describe: @escaping @Sendable (Int) -> String) {
    state.withLock { $0.describeLoss = describe }
  }

  /// - Complexity: O(n) for a line of n bytes.
  func write(_ line: String) {
    let begins = state.withLock { state in
      guard state.waiting.count + line.utf8.count < byteLimit else {
        state.droppedCount += 1
        return false
      }
      state.waiting += line.utf8
      state.waiting.append(UInt8(ascii: "\n"))
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if begins {
      writer.async {
        while let bytes = self.removeWaiting() { self.write(bytes) }
      }
    }
  }

  /// Waits until everything is written, but not longer than a time.
  func finish(withinSeconds seconds: Double) {
    let end = DispatchSemaphore(value: 0)
    writer.async { end.signal() }
    _ = end.wait(timeout: .now() + seconds)
  }

  private func removeWaiting() -> [UInt8]? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.isWriting = false
        return nil
      }
      var bytes = state.waiting
      state.waiting = []
      if state.droppedCount > 0 {
        bytes += "\(state.describeLoss(state.droppedCount))\n".utf8
        state.droppedCount = 0
      }
      return bytes
    }
  }

  /// Writes bytes until the descriptor fails.
  private func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count < 0, errno == EAGAIN {
        var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&place, 1, -1)
      } else if errno != EINTR {
        return
      }
    }
  }
}
