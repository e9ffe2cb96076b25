import ListStore

/// A store whose transactions begin with a check.
struct GuardedStore: ListStore {
  let store: any ListStore
  let check: @Sendable (ListReader) throws -> Void

  func read<Result: Sendable>(
    _ body: @Sendable (ListReader) throws -> Result
  ) async throws -> Result {
    try await store.read { reader in
      try check(reader)
      return try body(reader)
    }
  }

  func write<Result: Sendable>(
    _ body: @Sendable (ListWriter) throws -> Result
  ) async throws -> Result {
    try await store.write { writer in
      try check(writer)
      return try body(writer)
    }
  }

  func writeIfFree(_ body: @Sendable (ListWriter) throws -> Void) async {
    await store.writeIfFree(body)
  }

  func dataVersion() async throws -> DataVersion { try await store.dataVersion() }
  var pollingInterval: Duration { store.pollingInterval }
  var readsOwnCommits: Bool { store.readsOwnCommits }
  var primary: any ListStore { GuardedStore(store: store.primary, check: check) }
}

extension SyncService {
  /// The same service, whose transactions each begin with a check. Nothing can happen between check
  /// and commit: a token is revoked before the transaction or after it.
  ///
  /// - Parameter check: throws to refuse the transaction, which is then rolled back.
  package func guarded(
    by check: @escaping @Sendable (ListReader) throws -> Void
  ) -> SyncService {
    SyncService(store: GuardedStore(store: store, check: check), limits: limits, now: now)
  }
}
