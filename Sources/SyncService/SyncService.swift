import ListModel
import ListStore

/// What can be done with lists, whatever the store and whoever asks: a file per use case.
///
/// Every use case runs in one transaction of the store, so that its answer belongs to one state.
public struct SyncService: Sendable {
  let store: any ListStore
  let now: @Sendable () -> Timestamp

  /// - Parameter now: the clock for commits that name no time.
  public init(store: any ListStore, now: @escaping @Sendable () -> Timestamp) {
    self.store = store
    self.now = now
  }
}
