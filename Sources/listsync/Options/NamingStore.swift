import ListModel
import ListStore
import SyncService

/// A store that tells which lists there are when a body asks for a list that does not exist, as a
/// hint for people.
///
/// The names are read after the refusal, so that no other query pays for them.
struct NamingStore: ListStore {
  let store: any ListStore

  func read<Result: Sendable>(
    _ body: @Sendable (ListReader) throws -> Result
  ) async throws -> Result {
    try await naming { try await store.read(body) }
  }

  func write<Result: Sendable>(
    _ body: @Sendable (ListWriter) throws -> Result
  ) async throws -> Result {
    try await naming { try await store.write(body) }
  }

  func writeIfFree(_ body: @Sendable (ListWriter) throws -> Void) async {
    await store.writeIfFree(body)
  }

  func stateMark() async throws -> StateMark { try await store.stateMark() }
  var pollingInterval: Duration { store.pollingInterval }
  var readsOwnCommits: Bool { store.readsOwnCommits }
  var primary: any ListStore { NamingStore(store: store.primary) }

  private func naming<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch ServiceError.noSuchList(let name) {
      let known = try await store.read { try $0.lists().map(\.name) }
      throw VerbError.noSuchList(name, known: known)
    }
  }
}
