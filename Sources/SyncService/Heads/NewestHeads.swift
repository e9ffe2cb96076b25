import ListModel

/// The newest heads of one list, or of all lists that a caller may read; ends when the caller is no
/// longer admitted, or the one list is dropped or renamed.
///
/// The sequence begins with the current head of each list. It then gives each head that differs
/// from the last one, also if only the oldest version differs. A slow reader skips to the newest
/// head of each list. An iterator stores one number.
public struct NewestHeads: AsyncSequence, AsyncIteratorProtocol, Sendable {
  let board: HeadBoard
  let subject: HeadWatchers.Subject
  let caller: Caller
  /// The number of the last change that was given or skipped.
  var number = 0

  public func makeAsyncIterator() -> NewestHeads { self }

  /// Nil when the caller is no longer admitted, the one list is gone, or the task is cancelled.
  public mutating func next() async -> ListSummary? {
    while !Task.isCancelled {
      switch board.find(subject, after: number, for: caller) {
      case .ended: return nil
      case .change(let change):
        number = change.number
        return change.head
      case .nothing(let last): number = last
      }
      await board.waitForChange(of: subject, after: number, for: caller)
    }
    return nil
  }
}

extension HeadBoard {
  /// The newest heads of a list.
  public func newestHeads(of list: ListName, for caller: Caller) -> NewestHeads {
    NewestHeads(board: self, subject: .list(list), caller: caller)
  }

  /// The newest heads of all lists that a caller may read.
  public func newestHeads(for caller: Caller) -> NewestHeads {
    NewestHeads(board: self, subject: .all, caller: caller)
  }

  /// Waits until the head of a list differs from a cursor.
  ///
  /// No caller is checked: use ``access`` before the head is given to one.
  ///
  /// - Returns: the head, at once if it differs already; nil at the timeout, when the list is
  ///   dropped or renamed, or when the task is cancelled.
  public func wait(
    for list: ListName, otherThan cursor: Cursor, timeout: Duration
  ) async -> ListSummary? {
    if let head = head(of: list), head.head.cursor != cursor { return head }
    return await withTaskGroup(of: ListSummary?.self) { group in
      group.addTask { await self.head(of: list, otherThan: cursor) }
      group.addTask {
        try? await self.clock.sleep(for: timeout)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }

  private func head(of list: ListName, otherThan cursor: Cursor) async -> ListSummary? {
    var number = 0
    while !Task.isCancelled {
      switch find(.list(list), after: number, for: nil) {
      case .change(let change):
        if change.head.head.cursor != cursor { return change.head }
        number = change.number
      case .nothing: break
      case .ended: return nil
      }
      await waitForChange(of: .list(list), after: number, for: nil)
    }
    return nil
  }
}
