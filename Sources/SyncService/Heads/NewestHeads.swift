import ListModel

/// The newest head of a list, or of all lists that a caller may read, each time that it is another
/// one than was given last; ends when the caller is not admitted any more.
///
/// It begins with the newest heads as they are: that of each list there is. A list that is still to
/// come follows when it is there. Who is slow gets the newest head of each list next, and not those
/// that it has missed; what is kept for an iterator is one number. Another head is also one whose
/// oldest version has moved.
public struct NewestHeads: AsyncSequence, Sendable {
  public typealias Element = ListSummary
  public typealias Failure = Never

  let board: HeadBoard
  let subject: HeadWatchers.Subject
  let caller: Caller

  public func makeAsyncIterator() -> Iterator { Iterator(heads: self) }

  public struct Iterator: AsyncIteratorProtocol, Sendable {
    let heads: NewestHeads
    /// The number of the last change that was given, or that is not for the caller.
    private var number = 0

    init(heads: NewestHeads) { self.heads = heads }

    /// Nil when the caller is not admitted any more, and when the task is cancelled.
    public mutating func next() async -> ListSummary? {
      while !Task.isCancelled {
        switch heads.board.find(heads.subject, after: number, for: heads.caller) {
        case .refused: return nil
        case .change(let change):
          number = change.number
          return change.head
        case .nothing(let last): number = last
        }
        await heads.board.waitForChange(of: heads.subject, after: number, for: heads.caller)
      }
      return nil
    }
  }
}

extension HeadBoard {
  /// The newest head of a list, and each that follows.
  public func newestHeads(of list: ListName, for caller: Caller) -> NewestHeads {
    NewestHeads(board: self, subject: .list(list), caller: caller)
  }

  /// The newest heads of all lists that a caller may read, and each that follows.
  public func newestHeads(for caller: Caller) -> NewestHeads {
    NewestHeads(board: self, subject: .all, caller: caller)
  }

  /// Waits until the head of a list is another than a cursor.
  ///
  /// On whose behalf is not asked: who answers a caller looks afterwards whether ``access`` still
  /// admits them.
  ///
  /// - Returns: the head, at once where it is another already; nil when the time is over, or the task
  ///   is cancelled.
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
      if case .change(let change) = find(.list(list), after: number, for: nil) {
        if change.head.head.cursor != cursor { return change.head }
        number = change.number
      }
      await waitForChange(of: .list(list), after: number, for: nil)
    }
    return nil
  }
}
