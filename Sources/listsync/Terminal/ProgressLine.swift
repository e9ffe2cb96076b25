import Foundation
import Terminal

/// One line on standard error that tells how far long work has come: only on a terminal, only after
/// half a second, and at most ten times a second.
///
/// Unchecked because the one variable is guarded by the lock.
final class ProgressLine: @unchecked Sendable {
  private static let delaySeconds = 0.5
  private static let intervalSeconds = 0.1

  private let what: String
  private let isShown: Bool
  private let lock = NSLock()
  private var lastTime: Date
  private var hasText = false

  init(_ what: String) {
    self.what = what
    isShown = isatty(STDERR_FILENO) == 1
    lastTime = Date().addingTimeInterval(Self.delaySeconds - Self.intervalSeconds)
  }

  func show(part: Int, of whole: Int) {
    show("\(whole == 0 ? 100 : part * 100 / whole) %")
  }

  func show(_ state: String) {
    guard isShown else { return }
    lock.withLock {
      let now = Date()
      guard now.timeIntervalSince(lastTime) >= Self.intervalSeconds else { return }
      lastTime = now
      hasText = true
      Self.write("\r\u{1B}[K" + Output.printable("\(what): \(state)"))
    }
  }

  /// Clears the line.
  func finish() {
    lock.withLock {
      if hasText { Self.write("\r\u{1B}[K") }
      hasText = false
    }
  }

  private static func write(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
