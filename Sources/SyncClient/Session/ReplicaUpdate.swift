import ListChanges
import ListModel

/// What a view that shows a replica's list is to do next: the list before and after, and the way.
///
/// `before` is what the update before this one gave as `after`, whatever happened in between.
public struct ReplicaUpdate<Element: Sendable>: Sendable {
  public let before: [Element]
  public let after: [Element]
  /// The changes between the two, indexes and items as the server has them. Also where the replica
  /// started over, so that a view animates instead of showing everything anew.
  public let changes: ChangeSet<Item>
  public let from: ListState
  public let to: ListState
  /// The same between the copies, for a storage beside the replica's own.
  package let step: ReplicaStep
  /// Why; of several updates in one the last reason to start over counts.
  public let reason: ReplicaStep.Reason

  /// The changes for one `performBatchUpdates`, while the data source already gives `after`.
  public var batchUpdates: BatchUpdates { changes.batchUpdates() }
}

/// The updates of a replica, one at a time: the next is made when it is asked for, and holds all
/// that happened since the last. So whoever is slow skips, and no memory grows.
///
/// Each loop over it begins with nothing, or where it is told to, and its first update brings the
/// list as it is. It ends when the replica was stopped, or has caught up and does not watch; and
/// throws the `ReplicaError` with which the replica ended by itself.
public struct ReplicaUpdates<Element: Sendable>: AsyncSequence, Sendable {
  private let session: ReplicaSession
  private let begin: ShownCopy
  private let decode: @Sendable (Item) throws -> Element

  init(
    _ session: ReplicaSession, after copy: ListCopy,
    decode: @escaping @Sendable (Item) throws -> Element
  ) {
    self.session = session
    self.decode = decode
    begin = ShownCopy(copy: copy, stepCount: 0)
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(session: session, decode: decode, shown: begin)
  }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let session: ReplicaSession
    fileprivate let decode: @Sendable (Item) throws -> Element
    fileprivate var shown: ShownCopy
    /// The elements of what was shown; nil until they are first needed.
    private var elements: [Element]?

    fileprivate init(
      session: ReplicaSession, decode: @escaping @Sendable (Item) throws -> Element,
      shown: ShownCopy
    ) {
      self.session = session
      self.decode = decode
      self.shown = shown
    }

    /// - Throws: the `ReplicaError` with which the replica ended, or that of an item that cannot be
    ///   decoded: the update is then not given, and asking again gives it with what came since.
    ///   `CancellationError`.
    public mutating func next() async throws -> ReplicaUpdate<Element>? {
      guard let (step, reached) = try await session.nextStep(after: shown) else { return nil }
      let before = try elements ?? shown.copy.snapshot.items.map(decode)
      let after = try step.changes.carrying(before) {
        try decode($0.element)
      } update: { change, _ in
        try decode(change.new)
      }
      (elements, shown) = (after, reached)
      return ReplicaUpdate(
        before: before, after: after, changes: step.changes, from: step.before.state,
        to: step.after.state, step: step, reason: step.reason)
    }
  }
}

extension ReplicaSession {
  /// The updates of the list, items as the server has them.
  ///
  /// - Parameter copy: what was shown: this replica's copy as it was before it was started, or
  ///   nothing.
  public nonisolated func updates(after copy: ListCopy = .empty) -> ReplicaUpdates<Item> {
    ReplicaUpdates(self, after: copy) { $0 }
  }
}
