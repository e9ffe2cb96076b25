import Synchronization

/// Readings one after the other, each begun after all who asked for it had asked.
final class SerialReadings: Sendable {
  private struct State {
    /// The one that runs, or ran last.
    var current: Task<Void, any Error>?
    /// The one that is to run next; whoever asks before it begins shares it.
    var next: Task<Void, any Error>?
  }

  private let state = Mutex(State())

  /// Waits for the end of a reading that begins after this is called.
  ///
  /// - Throws: what the reading throws.
  func next(_ read: @escaping @Sendable () async throws -> Void) async throws {
    let task = state.withLock { state in
      if let next = state.next { return next }
      let former = state.current
      let task = Task {
        _ = await former?.result
        self.state.withLock { ($0.current, $0.next) = ($0.next, nil) }
        try await read()
      }
      state.next = task
      return task
    }
    try await task.value
  }
}
