import ListModel
import ListStore

extension HeadCache {
  /// The standard interval between two searches for lists that have changed.
  public static let standardSearchInterval = Duration.seconds(2)

  /// Merges segments of lists that need it, one list after the other, until the task is cancelled:
  /// first of all lists, then of each after its commits.
  ///
  /// - Parameters:
  ///   - interval: the time between two searches for lists that have changed. Until then commits
  ///     merge short segments only, so a list that grows fast takes more room.
  ///   - onFailure: gets the error of a list that could not be compacted. It is tried again after
  ///     its next commit.
  /// - Throws: `CancellationError` when the task is cancelled. Returns where the store cannot be
  ///   written to.
  /// - Complexity: a query to the store for each list that changed since the last search.
  public func compactLists(
    every interval: Duration = .milliseconds(250),
    onFailure: (ListName, any Error) -> Void
  ) async throws {
    do {
      try await followLists(every: interval, onFailure: onFailure) { list in
        do {
          try await service.compactIfDue(list)
        } catch StoreError.readOnly, StoreError.notPermitted {
          throw OthersCompact()
        }
      }
    } catch is OthersCompact {}
  }

  /// Programs with more rights compact the store.
  private struct OthersCompact: Error {}

  /// Works on each list, one after the other, until the task is cancelled: first on all, then on
  /// each after its commits, and on names whose lists were dropped or renamed.
  ///
  /// - Parameters:
  ///   - interval: the time between two searches for lists that have changed.
  ///   - onFailure: gets an error of the work, which is tried again after the next commit, unless
  ///     this throws. That a list is gone by then is no error.
  ///   - work: gets the name of a list.
  /// - Throws: `CancellationError` when the task is cancelled; errors that `onFailure` throws.
  public func followLists(
    every interval: Duration = standardSearchInterval,
    onFailure: (ListName, any Error) throws -> Void, _ work: (ListName) async throws -> Void
  ) async throws {
    var number = 0
    while true {
      let found = changes(after: number, 1, .anyone)
      number = found.last
      if let list = found.lists.first?.name ?? found.gone.first {
        do {
          try await work(list)
        } catch ServiceError.noSuchList, ServiceError.gone {
          // It was dropped or renamed meanwhile.
        } catch let end as OthersCompact {
          throw end
        } catch {
          // An engine may have an error of its own for a cancelled task.
          try Task.checkCancellation()
          try onFailure(list, error)
        }
      } else {
        await waitForTurn(of: .all, after: number, for: nil)
        try await clock.sleep(for: interval)
      }
      try Task.checkCancellation()
    }
  }
}
