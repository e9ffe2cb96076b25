/// A store that is read from a standby: a replica that follows the primary with a short delay.
///
/// The standby answers as the primary did a moment ago. If the standby cannot answer a query, the
/// primary answers it. So a version that has not reached the standby yet does not seem to be
/// missing or diverged, and the store works while the standby fails.
public struct StandbyStore: ListStore {
  public let primary: any ListStore
  private let standby: any ListStore

  /// - Parameters:
  ///   - primary: the store that is written.
  ///   - standby: a replica of the primary.
  public init(primary: any ListStore, standby: any ListStore) {
    (self.primary, self.standby) = (primary, standby)
  }

  /// Runs a body on the standby, and again on the primary if it throws.
  public func read<Result: Sendable>(
    _ body: @Sendable (ListReader) throws -> Result
  ) async throws -> Result {
    try await either { try await $0.read(body) }
  }

  public func write<Result: Sendable>(
    _ body: @Sendable (ListWriter) throws -> Result
  ) async throws -> Result {
    try await primary.write(body)
  }

  public func writeIfFree(_ body: @Sendable (ListWriter) throws -> Void) async {
    await primary.writeIfFree(body)
  }

  /// Returns the mark of the standby, so that a caller who sees a new mark can read the new state
  /// there.
  public func dataVersion() async throws -> DataVersion {
    try await either { try await $0.dataVersion() }
  }

  public var pollingInterval: Duration { standby.pollingInterval }
  public var readsOwnCommits: Bool { false }

  private func either<Result>(
    _ ask: (any ListStore) async throws -> Result
  ) async throws -> Result {
    do {
      return try await ask(standby)
    } catch let error where !(error is CancellationError || error is ReadingLimit.Exceeded) {
      return try await ask(primary)
    }
  }
}
