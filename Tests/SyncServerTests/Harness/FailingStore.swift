import ListStore
import Synchronization

/// What a store is told to fail with; nil where it works.
final class Failures: Sendable {
  private let failures = Mutex<(read: StoreError?, write: StoreError?)>((nil, nil))

  func fail(readingWith read: StoreError? = nil, writingWith write: StoreError? = nil) {
    failures.withLock { $0 = (read, write) }
  }

  fileprivate func checkRead() throws {
    if let failure = failures.withLock({ $0.read }) { throw failure }
  }

  fileprivate func checkWrite() throws {
    if let failure = failures.withLock({ $0.write }) { throw failure }
  }
}

/// A store that fails when it is told to.
struct FailingStore: ListStore {
  let store: any ListStore
  let failures: Failures

  func read<Result: Sendable>(
    _ body: @Sendable (any ListReader) throws -> Result
  ) async throws -> Result {
    try failures.checkRead()
    return try await store.read(body)
  }

  func write<Result: Sendable>(
    _ body: @Sendable (any ListWriter) throws -> Result
  ) async throws -> Result {
    try failures.checkWrite()
    return try await store.write(body)
  }

  func writeIfFree(_ body: @Sendable (any ListWriter) throws -> Void) async {
    await store.writeIfFree(body)
  }
  func stateMark() async throws -> StateMark {
    try failures.checkRead()
    return try await store.stateMark()
  }
}
