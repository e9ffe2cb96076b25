import ListStore
import Synchronization

/// A store that counts its calls.
final class CountingStore: ListStore {
  private let store: any ListStore
  private let reads = Atomic<Int>(0)
  private let writes = Atomic<Int>(0)

  init(_ store: any ListStore) { self.store = store }

  var readCount: Int { reads.load(ordering: .relaxed) }
  var writeCount: Int { writes.load(ordering: .relaxed) }

  func read<Result: Sendable>(
    _ body: @Sendable (ListReader) throws -> Result
  ) async throws -> Result {
    reads.add(1, ordering: .relaxed)
    return try await store.read(body)
  }

  func write<Result: Sendable>(
    _ body: @Sendable (ListWriter) throws -> Result
  ) async throws -> Result {
    writes.add(1, ordering: .relaxed)
    return try await store.write(body)
  }

  func writeIfFree(_ body: @Sendable (ListWriter) throws -> Void) async {
    await store.writeIfFree(body)
  }
  func stateMark() async throws -> StateMark {
    try await store.stateMark()
  }
}
