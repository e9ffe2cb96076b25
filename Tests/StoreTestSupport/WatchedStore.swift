import ListModel
import ListStore
import Synchronization

/// A store that counts its queries, and fails on request.
package final class WatchedStore: WrappingStore {
  package struct Counts: Equatable, Sendable {
    package var reads = 0
    package var writes = 0
    package var marks = 0

    package init(reads: Int = 0, writes: Int = 0, marks: Int = 0) {
      (self.reads, self.writes, self.marks) = (reads, writes, marks)
    }
  }

  private struct State {
    var counts = Counts()
    var readFailure: StoreError?
    var markFailure: StoreError?
    var afterRead: (@Sendable () async throws -> Void)?
  }

  package let store: any ListStore
  private let state = Mutex(State())

  package init(_ store: any ListStore) { self.store = store }

  package var counts: Counts { state.withLock { $0.counts } }

  /// Fails readings and queries for marks from now on; nil to answer them.
  package func fail(reads: StoreError? = nil, marks: StoreError? = nil) {
    state.withLock { ($0.readFailure, $0.markFailure) = (reads, marks) }
  }

  /// Runs something once, after the next reading and before its answer is given.
  package func afterNextRead(_ body: @escaping @Sendable () async throws -> Void) {
    state.withLock { $0.afterRead = body }
  }

  package func read<Result: Sendable>(
    _ body: @Sendable (ListReader) throws -> Result
  ) async throws -> Result {
    let (failure, afterRead) = state.withLock { state in
      state.counts.reads += 1
      defer { state.afterRead = nil }
      return (state.readFailure, state.afterRead)
    }
    if let failure { throw failure }
    let result = try await store.read(body)
    try await afterRead?()
    return result
  }

  package func write<Result: Sendable>(
    _ body: @Sendable (ListWriter) throws -> Result
  ) async throws -> Result {
    state.withLock { $0.counts.writes += 1 }
    return try await store.write(body)
  }

  package func dataVersion() async throws -> DataVersion {
    let failure = state.withLock { state in
      state.counts.marks += 1
      return state.markFailure
    }
    if let failure { throw failure }
    return try await store.dataVersion()
  }
}
