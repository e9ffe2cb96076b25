import ArgumentParser
import ListModel
import SyncClient
import Terminal

/// One pull: shows what a session brings, and saves it when it was shown.
///
/// So whatever reads the answer has seen every change that the copy has; after a failure it may see
/// some a second time, which the cursors of a delta tell.
struct Pull {
  static let highestTryCount = 4

  let session: ReplicaSession
  let file: ReplicaFile
  /// What the file held at the start.
  let saved: ListCopy
  let report: PullReport

  /// Shows all that is new as one change, be it of several answers.
  func catchUp(withinSeconds seconds: Int) async throws {
    try await session.start()
    let notes = Task { await PullNotes.write(session.states) }
    let alarm = Task {
      try await Task.sleep(for: .seconds(seconds))
      await session.stop()
    }
    defer {
      notes.cancel()
      alarm.cancel()
    }
    // The error that ended it is thrown again behind the last update.
    try? await session.settle()
    var isNew = false
    for try await update in session.updates(after: saved) {
      try await take(update)
      isNew = true
    }
    if await session.state == .stopped { throw PullTimeout(seconds: seconds) }
    if !isNew { try report.showNothingNew(saved) }
  }

  /// Goes on until it is interrupted.
  func follow() async throws {
    let interruption = Interruption { Task { await session.stop() } }
    defer { interruption.forget() }
    try await session.start()
    let notes = Task { await PullNotes.write(session.states) }
    defer { notes.cancel() }
    if saved != .empty { try report.write(saved.snapshot.items) }
    for try await update in session.updates(after: saved) { try await take(update) }
    throw ExitCode(Interruption.exitCode)
  }

  private func take(_ update: ReplicaUpdate<Item>) async throws {
    try report.show(update)
    try await file.save(update.step)
  }
}

/// A pull took longer than it was given.
struct PullTimeout: Error {
  let seconds: Int
}
