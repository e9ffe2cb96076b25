import ListChanges
import ListDocuments
import ListModel

/// A replica's copy of a list: a snapshot with its state, whose root was verified.
public struct ListCopy: Equatable, Sendable {
  /// Version 0 of every list: the copy of a replica before its first answer.
  public static let empty = ListCopy(.zero, .zero, .memory(ProvenList(.empty)))

  public let state: ListState
  /// The cursor of the state.
  public let cursor: Cursor
  /// The signed head of the state, if a key was given. Comparisons of copies ignore it.
  public var trust: HeadTrust?
  package let list: CopiedList

  /// The whole list.
  ///
  /// - Precondition: The storage is not a table of the app, which has the items as rows.
  public var snapshot: Snapshot {
    guard let items = list.known else { preconditionFailure("the items are rows") }
    return Snapshot(uniqueItems: items)
  }

  private init(_ state: ListState, _ cursor: Cursor, _ list: CopiedList) {
    self.state = state
    self.cursor = cursor
    self.list = list
  }

  /// The copy of a state that was proved, whose items are rows of a table.
  ///
  /// - Precondition: The state is of a version of a store.
  package init(_ state: ListState, _ rows: StoredList) {
    self.init(state, state.knownCursor, .rows(rows))
  }

  /// The same copy over the same rows, which are read in another way.
  package func over(_ rows: any StoredRows) -> ListCopy {
    guard case .rows(let list, let items) = list else { return self }
    var copy = ListCopy(state, cursor, .rows(list.over(rows), items: items))
    copy.trust = trust
    return copy
  }

  /// The same copy in memory alone.
  var inMemory: ListCopy {
    var copy = ListCopy(state, cursor, .memory(ProvenList(snapshot, root: state.root)))
    copy.trust = trust
    return copy
  }

  /// The same copy over rows, with its items in memory.
  func with(_ items: [Item]) -> ListCopy {
    guard case .rows(let list, _) = list else { return self }
    var copy = ListCopy(state, cursor, .rows(list, items: items))
    copy.trust = trust
    return copy
  }

  /// The copy that changes lead to, over the rows of this one.
  ///
  /// - Parameter after: the same copy over other rows.
  func applying(_ changes: ChangeSet<Item>, to after: ListCopy) throws -> ListCopy {
    var copy = ListCopy(after.state, after.cursor, try list.applying(changes))
    copy.trust = after.trust
    return copy
  }

  /// Copies of one root have the same items.
  public static func == (a: ListCopy, b: ListCopy) -> Bool {
    guard a.state == b.state else { return false }
    guard let one = a.list.known, let other = b.list.known else { return true }
    return one == other
  }

  /// Whether the next changes hash only their own ids. Tests that count hashes use this.
  var knowsIDs: Bool { if case .memory(let list) = list { list.knowsIDs } else { true } }

  /// - Throws: `Mismatch.noCursor` when the state has no cursor; `.document(.wrongResult)` when it
  ///   describes another snapshot.
  /// - Complexity: a SHA-256 for each item.
  public init(state: ListState, snapshot: Snapshot) throws(Mismatch) {
    guard let cursor = state.cursor else { throw .noCursor }
    let list = ProvenList<[Item]>(snapshot)
    guard list.count == state.count, list.root == state.root else {
      throw .document(.wrongResult(expected: state.root, found: list.root))
    }
    self.init(state, cursor, .memory(list))
  }

  /// The copy that a whole list makes. Its root was verified when the document was read.
  init(_ delta: SnapshotDelta) throws(Mismatch) {
    guard let cursor = delta.to.cursor else { throw .noCursor }
    self.init(delta.to, cursor, .memory(ProvenList(delta.snapshot, root: delta.to.root)))
  }

  /// The copy that changes lead to, and the changes with the items that they remove and replace.
  ///
  /// - Throws: `Mismatch.noCursor`; `.document` when the changes start from another list, do not
  ///   fit this one, or lead to another list than the document promises; errors of reading rows.
  /// - Complexity: as ``ListDocuments/ProvenList/apply(_:)`` over an array. All ids are hashed for
  ///   the first changes of a copy that was read whole, and never again for copies made from it.
  func applying(
    _ document: DeltaDocument
  ) throws -> (copy: ListCopy, changes: ChangeSet<Item>) {
    guard let cursor = document.to.cursor else { throw Mismatch.noCursor }
    do {
      let (list, changes) = try list.applying(document)
      return (ListCopy(document.to, cursor, list), changes)
    } catch let error as DeltaError {
      throw Mismatch.document(error)
    }
  }
}
