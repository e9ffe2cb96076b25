import ListModel
import ListStore

/// What can be done with lists, whatever the store and whoever asks: a file per use case.
///
/// Every use case runs in one transaction of the store, so that its answer belongs to one state.
public struct SyncService: Sendable {
  let store: any ListStore
  let limits: Limits
  let now: @Sendable () -> Timestamp

  /// - Parameters:
  ///   - limits: what commits may bring; what is stored already is answered whatever they are.
  ///   - now: the clock for commits that name no time.
  public init(
    store: any ListStore, limits: Limits = .standard, now: @escaping @Sendable () -> Timestamp
  ) {
    self.store = store
    self.limits = limits
    self.now = now
  }
}
