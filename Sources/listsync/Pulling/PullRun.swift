import ArgumentParser
import ListModel
import SyncClient

/// A run of a pull: shows each update of a session, then saves it.
///
/// So the reader of the output has seen every change in the copy. After a failure it may see
/// changes again, with the same cursors.
struct PullRun {
  static let highestTryCount = 4

  let session: ReplicaSession
  let file: ReplicaFile
  /// The copy in the file at the start.
  let saved: ListCopy
  /// Whether the copy may be shown.
  let isTrusted: Bool
  let report: PullReport

  /// Shows all changes since the copy as one change, even if several answers bring them.
  func catchUp(withinSeconds seconds: Int) async throws {
    try await session.start()
    let waits = Task { await PullReport.writeWaits(session.states) }
    let timer = Task {
      try await Task.sleep(for: .seconds(seconds))
      await session.stop()
    }
    defer {
      waits.cancel()
      timer.cancel()
    }
    // The updates throw the same error after the last one.
    try? await session.settle()
    var isNew = false
    for try await update in session.updates(after: saved) {
      try await accept(update)
      isNew = true
    }
    if await session.state == .stopped { throw PullTimeout(seconds: seconds) }
    if !isNew { try report.showNothingNew(saved) }
  }

  /// Runs until it is interrupted.
  func follow() async throws {
    let interruption = Interruption { Task { await session.stop() } }
    defer { interruption.cancel() }
    try await session.start()
    let waits = Task { await PullReport.writeWaits(session.states) }
    defer { waits.cancel() }
    if saved != .empty, isTrusted { try report.write(saved.snapshot.items) }
    for try await update in session.updates(after: saved) { try await accept(update) }
    throw ExitCode(Interruption.exitCode)
  }

  private func accept(_ update: ReplicaUpdate<Item>) async throws {
    try report.show(update)
    try await file.save(update.step)
  }
}

/// A pull exceeded its timeout.
struct PullTimeout: Error {
  let seconds: Int
}
