import ArgumentParser
import SyncService
import Terminal

extension HeadBoard {
  /// Runs a body beside a board that shows the heads of a store, until the program is interrupted.
  ///
  /// - Throws: `ExitCode` after an interruption; errors of the body and of the board.
  static func follow(
    _ service: SyncService, _ body: @escaping @Sendable (HeadBoard) async throws -> Void
  ) async throws {
    let board = HeadBoard(service: service)
    try await board.refresh()
    let task = Task {
      try await withThrowingTaskGroup { group in
        group.addTask { try await board.run() }
        group.addTask { try await body(board) }
        try await group.next()
        group.cancelAll()
      }
    }
    let interruption = Interruption { task.cancel() }
    defer { interruption.cancel() }
    do {
      try await task.value
    } catch is CancellationError {
      throw ExitCode(Interruption.exitCode)
    }
  }
}
