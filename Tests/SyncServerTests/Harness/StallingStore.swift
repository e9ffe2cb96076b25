import ListStore
import StoreTestSupport
import SyncService
import Synchronization

/// A store whose readings that make a long answer of changes, or whose writings, wait until they
/// are released or cancelled.
final class StallingStore: WrappingStore {
  private struct State {
    var isStalling = false
    var isStallingWrites = false
    var stalledCount = 0
    var cancelledCount = 0
  }

  let store: any ListStore
  private let state = Mutex(State())

  init(_ store: any ListStore) { self.store = store }

  /// How many readings and writings waited, or wait.
  var stalledCount: Int { state.withLock { $0.stalledCount } }
  var cancelledCount: Int { state.withLock { $0.cancelledCount } }

  func stallLongReads() { state.withLock { $0.isStalling = true } }
  func stallWrites() { state.withLock { $0.isStallingWrites = true } }
  func release() { state.withLock { ($0.isStalling, $0.isStallingWrites) = (false, false) } }

  /// A long answer is the only one that a reading gives by itself, after another one planned it.
  func read<Result: Sendable>(
    _ body: @Sendable (ListReader) throws -> Result
  ) async throws -> Result {
    let result = try await store.read(body)
    guard Result.self == MadeCatchUp.self, state.withLock({ $0.isStalling }) else { return result }
    try await wait { $0.isStalling }
    return result
  }

  private func wait(while isStalling: @Sendable (State) -> Bool) async throws {
    state.withLock { $0.stalledCount += 1 }
    while state.withLock({ isStalling($0) }) {
      do {
        try await Task.sleep(for: .milliseconds(5))
      } catch {
        state.withLock { $0.cancelledCount += 1 }
        throw error
      }
    }
  }

  func write<Result: Sendable>(
    _ body: @Sendable (ListWriter) throws -> Result
  ) async throws -> Result {
    if state.withLock({ $0.isStallingWrites }) { try await wait { $0.isStallingWrites } }
    return try await store.write(body)
  }
}
