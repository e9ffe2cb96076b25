import ListModel
import ListStore

extension HeadBoard {
  /// The standard interval between two searches for lists to pack.
  public static let standardPackingInterval = Duration.seconds(2)

  /// Packs lists whose plain rows outweigh the packed ones, one after the other, until the task is
  /// cancelled: first all that need it, then each after its commits.
  ///
  /// - Parameters:
  ///   - interval: the time between two searches for lists that have changed.
  ///   - onFailure: gets the error of a list that could not be packed. It is tried again after its
  ///     next commit.
  /// - Throws: `CancellationError` when the task is cancelled. Returns where the store cannot be
  ///   written to.
  /// - Complexity: a query to the store for each list that changed since the last search.
  public func packLists(
    every interval: Duration = standardPackingInterval,
    onFailure: (ListName, any Error) -> Void
  ) async throws {
    var number = 0
    while true {
      switch find(.all, after: number, for: nil) {
      case .change(let change):
        number = change.number
        let list = change.head.name
        do {
          try await service.compactIfDue(list)
        } catch ServiceError.noSuchList, ServiceError.gone {
          // It was dropped or renamed meanwhile.
        } catch StoreError.readOnly, StoreError.notPermitted {
          // Programs with more rights pack it.
          return
        } catch {
          // An engine may have an error of its own for a cancelled task.
          try Task.checkCancellation()
          onFailure(list, error)
        }
      case .nothing(let last):
        number = last
        await waitForChange(of: .all, after: number, for: nil)
        try await clock.sleep(for: interval)
      case .ended: return
      }
      try Task.checkCancellation()
    }
  }
}
