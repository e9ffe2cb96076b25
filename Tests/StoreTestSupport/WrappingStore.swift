import ListStore

/// A store around another one. It changes some of the calls, and passes the rest on.
package protocol WrappingStore: ListStore {
  var store: any ListStore { get }
}

extension WrappingStore {
  package func read<Result: Sendable>(
    _ body: @Sendable (ListReader) throws -> Result
  ) async throws -> Result {
    try await store.read(body)
  }

  package func write<Result: Sendable>(
    _ body: @Sendable (ListWriter) throws -> Result
  ) async throws -> Result {
    try await store.write(body)
  }

  package func writeIfFree(_ body: @Sendable (ListWriter) throws -> Void) async {
    await store.writeIfFree(body)
  }

  package func dataVersion() async throws -> DataVersion { try await store.dataVersion() }
}
