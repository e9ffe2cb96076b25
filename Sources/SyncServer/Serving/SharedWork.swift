import Synchronization

/// Work that is done once for all callers who wait for its result at the same time.
///
/// When the last of them is cancelled, so is the work, since nobody waits for its result.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Work {
    let number: Int
    let task: Task<Value, any Error>
    var callerCount = 1
  }

  private struct State {
    var works: [Key: Work] = [:]
    var lastNumber = 0
  }

  private let state = Mutex(State())

  /// How many callers wait.
  var callerCount: Int { state.withLock { $0.works.values.reduce(0) { $0 + $1.callerCount } } }

  /// The result of the work that has a key, which is begun if it is not running.
  ///
  /// - Throws: what the work throws; `CancellationError` as a rule when the caller is cancelled and
  ///   nobody else waits.
  func value(
    for key: Key, _ make: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let work = join(key, make)
    return try await withTaskCancellationHandler {
      try await work.task.value
    } onCancel: {
      leave(key, work.number)
    }
  }

  private func join(_ key: Key, _ make: @escaping @Sendable () async throws -> Value) -> Work {
    state.withLock { state in
      if state.works[key] != nil {
        state.works[key]!.callerCount += 1
        return state.works[key]!
      }
      state.lastNumber += 1
      let number = state.lastNumber
      let task = Task {
        defer { remove(key, number) }
        return try await make()
      }
      let work = Work(number: number, task: task)
      state.works[key] = work
      return work
    }
  }

  private func leave(_ key: Key, _ number: Int) {
    let abandoned = state.withLock { state -> Work? in
      guard let work = state.works[key], work.number == number else { return nil }
      state.works[key]!.callerCount -= 1
      // Removed at once, so that the next caller does not join work that is about to end.
      return work.callerCount == 1 ? state.works.removeValue(forKey: key) : nil
    }
    abandoned?.task.cancel()
  }

  private func remove(_ key: Key, _ number: Int) {
    state.withLock { state in
      if state.works[key]?.number == number { state.works[key] = nil }
    }
  }
}
