import Foundation
import ListStore
import StoreTestSupport
import Synchronization

@testable import SyncServer

/// A store whose readings for an answer in its turn never end by themselves while they loop.
final class LoopingStore: WrappingStore {
  private struct State {
    var isLooping = false
    var passingCount = 0
    var begunCount = 0
    var endedCount = 0
  }

  let store: any ListStore
  private let state = Mutex(State())

  init(_ store: any ListStore) { self.store = store }

  /// How many readings looped, or loop.
  var begunCount: Int { state.withLock { $0.begunCount } }
  var endedCount: Int { state.withLock { $0.endedCount } }

  /// - Parameter count: how many such readings still end.
  func loop(after count: Int = 0) {
    state.withLock { ($0.isLooping, $0.passingCount) = (true, count) }
  }

  func release() { state.withLock { $0.isLooping = false } }

  func read<Result: Sendable>(
    _ body: @Sendable (ListReader) throws -> Result
  ) async throws -> Result {
    let isLooping = state.withLock { state in
      guard LargeAnswerLimiter.isAdmitted, state.isLooping else { return false }
      if state.passingCount > 0 {
        state.passingCount -= 1
        return false
      }
      state.begunCount += 1
      return true
    }
    guard isLooping else { return try await store.read(body) }
    defer { state.withLock { $0.endedCount += 1 } }
    return try await store.read { reader in
      var result = try body(reader)
      while state.withLock({ $0.isLooping }) {
        usleep(2000)
        result = try body(reader)
      }
      return result
    }
  }
}
