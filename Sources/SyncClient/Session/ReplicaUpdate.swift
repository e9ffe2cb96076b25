import ListChanges
import ListModel

/// An update of a view that shows a replica's list: the list before and after, and the changes.
///
/// `before` is always the `after` of the previous update.
public struct ReplicaUpdate<Element: Sendable>: Sendable {
  public let before: [Element]
  public let after: [Element]
  /// The changes from `before` to `after`, with the server's items and the edited ones. Present
  /// also when the replica started over, so that a view can animate instead of reloading.
  public let changes: ChangeSet<Item>
  /// The states of the copy before and after. The lists also have the edits that the copy does not
  /// have yet.
  public var from: ListState { step.before.state }
  public var to: ListState { step.after.state }
  /// The same step between the copies, for another storage than the replica's.
  package let step: ReplicaStep
  /// The copy after the step.
  let shown: ShownCopy
  /// The reason; for several steps in one update, the last reason to start over.
  public var reason: ReplicaStep.Reason { step.reason }

  /// The changes for one `performBatchUpdates`, with a data source that already returns `after`.
  public var batchUpdates: BatchUpdates { changes.batchUpdates() }
}

/// The updates of a replica. Each one is made when the loop asks for it, from all steps since the
/// last one. So a slow reader skips states, and needs no memory.
///
/// Each loop begins with the given list or an empty one, and its first update leads to the present
/// list. A view that shows a list already must begin there (``Replica/updates(after:)``): a batch
/// from an empty list would insert its items again. The loop ends when the replica is stopped, or
/// current without watching. It throws the `ReplicaError` that ended the replica.
public struct ReplicaUpdates<Element: Sendable>: AsyncSequence, AsyncIteratorProtocol, Sendable {
  private let session: ReplicaSession
  private let decode: @Sendable (Item) throws -> Element
  private var shown: ShownCopy
  /// The elements of the shown copy; nil until they are first needed.
  private var elements: [Element]?

  init(
    _ session: ReplicaSession, after copy: ListCopy,
    decode: @escaping @Sendable (Item) throws -> Element
  ) {
    self.session = session
    self.decode = decode
    shown = ShownCopy(copy: copy, stepCount: 0)
  }

  init(
    _ session: ReplicaSession, after last: ReplicaUpdate<Element>,
    decode: @escaping @Sendable (Item) throws -> Element
  ) {
    self.session = session
    self.decode = decode
    (shown, elements) = (last.shown, last.after)
  }

  public func makeAsyncIterator() -> ReplicaUpdates { self }

  /// - Throws: the `ReplicaError` that ended the replica; `.undecodable` for an item, after which
  ///   the next call tries the same update again, with later steps; `CancellationError`.
  public mutating func next() async throws -> ReplicaUpdate<Element>? {
    guard let (step, changes, reached) = try await session.nextStep(after: shown) else {
      return nil
    }
    let before = try elements ?? shown.items.map(decode)
    let after = try changes.carrying(before) {
      try decode($0.element)
    } update: { change, _ in
      try decode(change.new)
    }
    (elements, shown) = (after, reached)
    return ReplicaUpdate(
      before: before, after: after, changes: changes, step: step, shown: reached)
  }
}

extension ReplicaSession {
  /// The updates of the list, with the server's items.
  ///
  /// - Parameter copy: the shown list: this replica's copy before its start, or nothing.
  public nonisolated func updates(after copy: ListCopy = .empty) -> ReplicaUpdates<Item> {
    ReplicaUpdates(self, after: copy) { $0 }
  }
}
