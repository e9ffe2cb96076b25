import ListModel

/// The newest heads of one list, or of all lists that a caller may read; ends when the caller is no
/// longer admitted, or the one list is dropped or renamed.
///
/// The sequence begins with the current head of each list. It then gives each head that differs
/// from the last one, also if only the oldest version differs, at the reader's turns. A slow reader
/// skips to the newest head of each list. An iterator stores two numbers.
public struct HeadStream: AsyncSequence, AsyncIteratorProtocol, Sendable {
  let headCache: HeadCache
  let subject: HeadWatchers.Subject
  let caller: Caller
  /// The number of the last change that was given or skipped.
  var number = 0
  /// The number of the last change at the reader's turn. Later ones wait for the next turn.
  var turn: Int

  public func makeAsyncIterator() -> HeadStream { self }

  /// Nil when the caller is no longer admitted, the one list is gone, or the task is cancelled.
  public mutating func next() async -> ListSummary? {
    while !Task.isCancelled {
      switch headCache.find(subject, after: number, for: caller) {
      case .ended: return nil
      case .change(let change) where change.number <= turn:
        number = change.number
        return change.head
      case .change: break
      case .nothing(let last): number = last
      }
      await headCache.waitForTurn(of: subject, after: number, for: caller)
      turn = headCache.lastNumber
    }
    return nil
  }
}

extension HeadCache {
  /// The newest heads of a list.
  public func headStream(of list: ListName, for caller: Caller) -> HeadStream {
    HeadStream(headCache: self, subject: .list(list), caller: caller, turn: lastNumber)
  }

  /// The newest heads of all lists that a caller may read.
  public func headStream(for caller: Caller) -> HeadStream {
    HeadStream(headCache: self, subject: .all, caller: caller, turn: lastNumber)
  }

  /// Waits until the head of a list differs from a cursor.
  ///
  /// - Parameters:
  ///   - list: the list that is watched.
  ///   - cursor: nil if any head differs.
  ///   - timeout: how long to wait at most.
  ///   - caller: nil when there is no caller.
  /// - Returns: the head, at the caller's next turn if it differs already; nil at the timeout, when
  ///   the list is dropped or renamed, when the caller may not read it or is no longer admitted,
  ///   or when the task is cancelled.
  public func wait(
    for list: ListName, otherThan cursor: Cursor?, timeout: Duration, caller: Caller? = nil
  ) async -> ListSummary? {
    await withTaskGroup(of: ListSummary?.self) { group in
      group.addTask { await self.head(of: list, otherThan: cursor, for: caller) }
      group.addTask {
        try? await self.clock.sleep(for: timeout)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }

  private func head(
    of list: ListName, otherThan cursor: Cursor?, for caller: Caller?
  ) async -> ListSummary? {
    var hasTurn = false
    while !Task.isCancelled {
      var known = 0
      switch find(.list(list), after: 0, for: caller) {
      case .change(let change) where change.head.head.cursor == cursor: known = change.number
      case .change(let change): if hasTurn { return change.head }
      case .nothing: break
      case .ended: return nil
      }
      await waitForTurn(of: .list(list), after: known, for: caller)
      hasTurn = true
    }
    return nil
  }
}
