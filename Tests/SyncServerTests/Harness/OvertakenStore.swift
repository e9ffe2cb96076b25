import ListStore
import Synchronization

/// A store in which something happens between the plan of a long answer and its making.
final class OvertakenStore: ListStore {
  private struct State {
    var passingCount = 0
    var act: (@Sendable () async throws -> Void)?
  }

  private let store: any ListStore
  private let state = Mutex(State())

  init(_ store: any ListStore) { self.store = store }

  /// Whether the act of ``beforeSecondRead(_:)`` is done, or has begun.
  var isOvertaken: Bool { state.withLock { $0.act == nil } }

  /// Runs an act once, before the second read from now on.
  func beforeSecondRead(_ act: @escaping @Sendable () async throws -> Void) {
    state.withLock { $0 = State(passingCount: 1, act: act) }
  }

  private func nextAct() -> (@Sendable () async throws -> Void)? {
    state.withLock { state in
      guard state.passingCount == 0 else {
        state.passingCount -= 1
        return nil
      }
      defer { state.act = nil }
      return state.act
    }
  }

  func read<Result: Sendable>(
    _ body: @Sendable (ListReader) throws -> Result
  ) async throws -> Result {
    try await nextAct()?()
    return try await store.read(body)
  }

  func write<Result: Sendable>(
    _ body: @Sendable (ListWriter) throws -> Result
  ) async throws -> Result {
    try await store.write(body)
  }

  func writeIfFree(_ body: @Sendable (ListWriter) throws -> Void) async {
    await store.writeIfFree(body)
  }

  func stateMark() async throws -> StateMark { try await store.stateMark() }
}
