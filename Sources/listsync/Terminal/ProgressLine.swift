import Foundation
import Synchronization

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

  /// Shows the seconds since a closure began, for work whose progress is unknown.
  static func timing<Result>(
    _ work: String, _ body: () async throws -> Result
  ) async rethrows -> Result {
    let (line, start) = (ProgressLine(work), Date())
    let queue = DispatchQueue(label: "listsync.progress")
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + delaySeconds, repeating: 1)
    timer.setEventHandler { line.show("\(Int(Date().timeIntervalSince(start))) s") }
    timer.resume()
    defer {
      timer.cancel()
      // A handler that is running must not write after the line is cleared.
      queue.sync { line.finish() }
    }
    return try await body()
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
      let columns = Screen.size(of: STDERR_FILENO).columns
      Self.write("\r\u{1B}[K" + Self.text(work, progress, columns: columns))
    }
  }

  /// Clears the line.
  func finish() {
    state.withLock { state in
      if state.hasText { Self.write("\r\u{1B}[K") }
      state.hasText = false
    }
  }

  /// One line that fits the terminal. The end of a long work, such as a file's name, is cut first.
  static func text(_ work: String, _ progress: String, columns: Int) -> String {
    // The cursor needs the last column.
    let progress = cut(": " + Output.printable(progress), to: columns - 1)
    return cut(Output.printable(work), to: columns - 1 - width(progress)) + progress
  }

  private static func cut(_ text: String, to columns: Int) -> String {
    guard width(text) > columns else { return text }
    var rest = text[...]
    while !rest.isEmpty, width(rest) >= columns { rest.removeLast() }
    return columns > 0 ? rest + "…" : ""
  }

  /// An upper bound of the columns of a text: a character outside of ASCII can have two columns.
  private static func width(_ text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + ($1.isASCII || $1 == "…" ? 1 : 2) }
  }

  private static func write(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
