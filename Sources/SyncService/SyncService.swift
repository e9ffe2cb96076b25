import ListModel
import ListStore

/// The use cases of lists, over any store: a file for each.
///
/// Each use case reads in one transaction, so that its answer belongs to one state of the store. A
/// commit is made of what one transaction read, and another one stores it if that is still true.
public struct SyncService: Sendable {
  let store: any ListStore
  let limits: Limits
  let now: @Sendable () -> Timestamp

  /// - Parameters:
  ///   - store: keeps the lists.
  ///   - limits: for what is written; stored lists are answered whatever their size.
  ///   - now: the clock for commits without a time.
  public init(
    store: any ListStore, limits: Limits = .standard, now: @escaping @Sendable () -> Timestamp
  ) {
    (self.store, self.limits, self.now) = (store, limits, now)
  }

  /// The same service, which reads no standby: see ``/ListStore/ListStore/primary``.
  public var primary: SyncService { SyncService(store: store.primary, limits: limits, now: now) }
}
