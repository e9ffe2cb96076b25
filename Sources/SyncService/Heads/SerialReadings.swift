import Synchronization

/// Runs readings one after the other. Each begins after all calls that it answers.
final class SerialReadings: Sendable {
  private typealias Reading = Task<Void, any Error>

  /// The running or last reading, and the next one, which all calls share until it begins.
  private let state = Mutex((current: Reading?.none, next: Reading?.none))

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
