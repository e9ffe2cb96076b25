import ArgumentParser
import Foundation
import Synchronization

/// Shows a long answer on a terminal with the user's pager.
struct PagerOptions: ParsableArguments {
  @Flag(
    name: .customLong("no-pager"),
    help: "Print a long answer without $LISTSYNC_PAGER, $PAGER or less.")
  var isOff = false

  /// Runs a body whose output goes to the pager if it does not fit the screen.
  func page(_ body: () async throws -> Void) async throws {
    let command = isOff ? nil : Pager.command(Settings.environment)
    guard Screen.isTerminal, let command, let pager = Pager(command) else {
      return try await body()
    }
    do {
      try await body()
      pager.finish()
    } catch {
      pager.finish()
      // The user has quit the pager, so the rest of the output is not needed.
      if pager.wasQuit.withLock({ $0 }), error is OutputError { return }
      throw error
    }
  }
}

/// Stands between standard output and the terminal. Keeps the output until it is longer than the
/// screen, and then starts the pager.
private final class Pager: Sendable {
  let wasQuit = Mutex(false)
  private let command: String
  private let terminal: Int32
  private let input: Int32
  private let done = DispatchSemaphore(value: 0)

  /// The pager that the user wants; nil for none.
  static func command(_ environment: [String: String]) -> String? {
    guard let wanted = environment["LISTSYNC_PAGER"] ?? environment["PAGER"] else {
      let folders = (environment["PATH"] ?? "").split(separator: ":")
      return folders.contains { access("\($0)/less", X_OK) == 0 } ? "less" : nil
    }
    return wanted.isEmpty || wanted == "cat" ? nil : wanted
  }

  /// Nil if no descriptor of one digit is free, since a shell's redirection needs one.
  init?(_ command: String) {
    var ends: [Int32] = [-1, -1]
    // Evaluated while standard output is still the terminal.
    _ = Screen.size
    let terminal = dup(STDOUT_FILENO)
    guard (0...9).contains(terminal), pipe(&ends) == 0 else { return nil }
    (self.command, self.terminal, input) = (command, terminal, ends[0])
    // The pager must not inherit this end of the pipe.
    _ = fcntl(input, F_SETFD, FD_CLOEXEC)
    dup2(ends[1], STDOUT_FILENO)
    close(ends[1])
    Thread.detachNewThread { [self] in
      copy()
      done.signal()
    }
  }

  /// Waits until the user has seen the output.
  func finish() {
    // The copy ends when no descriptor for writing is left.
    dup2(terminal, STDOUT_FILENO)
    done.wait()
  }

  private func copy() {
    let reading = FileHandle(fileDescriptor: input, closeOnDealloc: true)
    var kept = Data()
    while Self.rowCount(of: kept) < Screen.size.rows {
      let piece = reading.availableData
      if piece.isEmpty {
        try? FileHandle(fileDescriptor: terminal).write(contentsOf: kept)
        return
      }
      kept += piece
    }
    // A pager that is quit closes its pipe. Its user interrupts it, not this program.
    for ignored in [SIGPIPE, SIGINT] { signal(ignored, SIG_IGN) }
    // As git does: colours, nothing cleared, nothing paged that fits.
    setenv("LESS", "FRX", 0)
    // Process would put the pager into a process group of its own, which may not read the terminal.
    guard let stream = popen("exec >&\(terminal); \(command)", "w") else { return }
    let pager = FileHandle(fileDescriptor: fileno(stream))
    do {
      while !kept.isEmpty {
        try pager.write(contentsOf: kept)
        kept = reading.availableData
      }
    } catch {
      wasQuit.withLock { $0 = true }
      try? reading.close()
    }
    pclose(stream)
  }

  /// A lower bound of the rows that a text needs, since a character has up to four bytes.
  private static func rowCount(of text: Data) -> Int {
    text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).reduce(-1) {
      $0 + 1 + max(0, $1.count - 1) / (4 * Screen.size.columns)
    }
  }
}
