import ListModel

/// The changes after a mark, among the lists that a caller may read.
public struct HeadChanges: Equatable, Sendable {
  /// The lists with another head or oldest version, or that are new, as they are now.
  public let lists: [ListSummary]
  /// The names whose lists were dropped or renamed.
  public let gone: [ListName]
  /// The number of the last of these changes; if no more follow, of the last one that the caller
  /// sees.
  var last: Int
  /// Whether more changes follow.
  public let hasMore: Bool
  /// Whether ``lists`` has all lists, because the caller's mark is not one of this cache.
  public internal(set) var isAll = false
  /// Where the next query begins.
  public internal(set) var mark = ""

  public var isEmpty: Bool { lists.isEmpty && gone.isEmpty }
}

extension HeadCache {
  /// The changes after a mark.
  ///
  /// - Parameters:
  ///   - mark: an earlier answer's. Marks of other caches, such as of a server before its restart,
  ///     and other texts give all lists.
  ///   - limit: the highest number of changes in the answer; 0 for the present mark alone.
  ///   - caller: only lists that it may read count.
  ///   - timeout: how long to wait for a change if there is none. The wait ends early when the
  ///     caller is no longer admitted, or the task is cancelled. Changes that are there already
  ///     wait for the caller's turn.
  /// - Complexity: O(log l + s) for l lists and s changes after the mark, or since the caller was
  ///   last answered if it sees none after the mark; without the store.
  public func changes(
    after mark: String?, limit: Int, for caller: Caller, timeout: Duration = .zero
  ) async -> HeadChanges {
    if limit == 0 {
      let last = lastNumber(for: caller)
      return marked(HeadChanges(lists: [], gone: [], last: last, hasMore: false), isAll: false)
    }
    let number = mark.flatMap(seal.number)
    guard let number, timeout > .zero else {
      return marked(changes(after: number ?? 0, limit, caller), isAll: number == nil)
    }
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await self.waitForTurn(of: .all, after: number, for: caller)
      }
      group.addTask { try? await self.clock.sleep(for: timeout) }
      await group.next()
      group.cancelAll()
    }
    return marked(changes(after: number, limit, caller), isAll: false)
  }

  private func marked(_ changes: HeadChanges, isAll: Bool) -> HeadChanges {
    var changes = changes
    (changes.isAll, changes.mark) = (isAll, seal.mark(of: changes.last))
    return changes
  }
}
