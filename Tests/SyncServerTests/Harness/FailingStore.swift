import ListStore
import StoreTestSupport
import Synchronization

/// The planned failures of a store; nil for none.
final class Failures: Sendable {
  private struct State {
    var read: StoreError?
    var write: StoreError?
    /// The number of reads that still succeed.
    var passingCount = 0
    /// Whether reads succeed until something was written.
    var isWaitingForWrite = false
  }

  private let state = Mutex(State())

  func fail(
    readingWith read: StoreError? = nil, after count: Int = 0, writingWith write: StoreError? = nil
  ) {
    state.withLock { $0 = State(read: read, write: write, passingCount: count) }
  }

  func failReadingAfterTheNextWrite(with read: StoreError) {
    state.withLock { $0 = State(read: read, isWaitingForWrite: true) }
  }

  fileprivate func checkRead() throws {
    let failure = state.withLock { state -> StoreError? in
      if state.isWaitingForWrite { return nil }
      guard state.passingCount == 0 else {
        state.passingCount -= 1
        return nil
      }
      return state.read
    }
    if let failure { throw failure }
  }

  fileprivate func checkWrite() throws {
    if let failure = state.withLock({ $0.write }) { throw failure }
  }

  fileprivate func recordWrite() { state.withLock { $0.isWaitingForWrite = false } }
}

/// A store with planned failures.
struct FailingStore: WrappingStore {
  let store: any ListStore
  let failures: Failures

  func read<Result: Sendable>(
    _ body: @Sendable (ListReader) throws -> Result
  ) async throws -> Result {
    try failures.checkRead()
    return try await store.read(body)
  }

  func write<Result: Sendable>(
    _ body: @Sendable (ListWriter) throws -> Result
  ) async throws -> Result {
    try failures.checkWrite()
    let result = try await store.write(body)
    failures.recordWrite()
    return result
  }

  func dataVersion() async throws -> DataVersion {
    try failures.checkRead()
    return try await store.dataVersion()
  }
}
