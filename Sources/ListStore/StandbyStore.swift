/// A store that is read from a standby, a replica that follows it by a moment.
///
/// An answer of the standby is one that the primary gave a moment ago. What the standby cannot
/// answer, the primary answers: a version that has not reached the standby yet is neither missing
/// nor diverged, and a standby that fails is no failure of the store.
public struct StandbyStore: ListStore {
  private let primary: any ListStore
  private let standby: any ListStore

  /// - Parameters:
  ///   - primary: where the store is written.
  ///   - standby: a replica of the primary.
  public init(primary: any ListStore, standby: any ListStore) {
    (self.primary, self.standby) = (primary, standby)
  }

  /// A body runs again on the primary when it threw on the standby.
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

  /// The standby's mark: a caller that it tells of a new state can read this state there.
  public func stateMark() async throws -> StateMark {
    try await either { try await $0.stateMark() }
  }

  public var pollingInterval: Duration { standby.pollingInterval }

  private func either<Result>(
    _ ask: (any ListStore) async throws -> Result
  ) async throws -> Result {
    do {
      return try await ask(standby)
    } catch let error where !(error is CancellationError) {
      return try await ask(primary)
    }
  }
}
