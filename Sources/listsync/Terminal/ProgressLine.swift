import Foundation
import Synchronization
import Terminal

/// One line on standard error that shows the progress of long work: only on a terminal, only after
/// half a second, and at most ten times a second.
final class ProgressLine: Sendable {
  private static let delaySeconds = 0.5
  private static let intervalSeconds = 0.1

  private let work: String
  private let isShown = isatty(STDERR_FILENO) == 1
  private let state: Mutex<(lastTime: Date, hasText: Bool)>

  init(_ work: String) {
    self.work = work
    let start = Date().addingTimeInterval(Self.delaySeconds - Self.intervalSeconds)
    state = Mutex((start, false))
  }

  func show(part: Int, of whole: Int) {
    show("\(whole == 0 ? 100 : part * 100 / whole) %")
  }

  func show(_ progress: String) {
    guard isShown else { return }
    state.withLock { state in
      let now = Date()
      guard now.timeIntervalSince(state.lastTime) >= Self.intervalSeconds else { return }
      state = (now, true)
      Self.write("\r\u{1B}[K" + Output.printable("\(work): \(progress)"))
    }
  }

  /// Clears the line.
  func finish() {
    state.withLock { state in
      if state.hasText { Self.write("\r\u{1B}[K") }
      state.hasText = false
    }
  }

  private static func write(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
