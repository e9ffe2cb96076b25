import ListChanges
import ListDocuments
import ListModel

/// A replica's copy of a list: a snapshot with its state, whose root was verified.
public struct ListCopy: Equatable, Sendable {
  /// Version 0 of every list: the copy of a replica before its first answer.
  public static let empty = ListCopy(.zero, .zero, ProvenList(.empty))

  public let state: ListState
  /// The cursor of the state.
  public let cursor: Cursor
  /// The signed head of the state, if a key was given. Comparisons of copies ignore it.
  public var trust: HeadTrust?
  private let list: ProvenList<[Item]>

  public var snapshot: Snapshot { list.snapshot }

  private init(_ state: ListState, _ cursor: Cursor, _ list: ProvenList<[Item]>) {
    self.state = state
    self.cursor = cursor
    self.list = list
  }

  public static func == (a: ListCopy, b: ListCopy) -> Bool {
    a.state == b.state && a.snapshot == b.snapshot
  }

  /// Whether the next changes hash only their own ids. Tests that count hashes use this.
  var knowsIDs: Bool { list.knowsIDs }

  /// - Throws: `Mismatch.noCursor` when the state has no cursor; `.document(.wrongResult)` when it
  ///   describes another snapshot.
  /// - Complexity: a SHA-256 for each item.
  public init(state: ListState, snapshot: Snapshot) throws(Mismatch) {
    guard let cursor = state.cursor else { throw .noCursor }
    let list = ProvenList<[Item]>(snapshot)
    guard list.count == state.count, list.root == state.root else {
      throw .document(.wrongResult(expected: state.root, found: list.root))
    }
    self.init(state, cursor, list)
  }

  /// The copy that a whole list makes. Its root was verified when the document was read.
  init(_ delta: SnapshotDelta) throws(Mismatch) {
    guard let cursor = delta.to.cursor else { throw .noCursor }
    self.init(delta.to, cursor, ProvenList(delta.snapshot, root: delta.to.root))
  }

  /// The copy that changes lead to, and the changes with the items that they remove and replace.
  ///
  /// - Throws: `Mismatch.noCursor`; `.document` when the changes start from another list, do not
  ///   fit this one, or lead to another list than the document promises.
  /// - Complexity: as ``ListDocuments/ProvenList/apply(_:)`` over an array. All ids are hashed for
  ///   the first changes of a copy that was read whole, and never again for copies made from it.
  func applying(
    _ document: DeltaDocument
  ) throws(Mismatch) -> (copy: ListCopy, changes: ChangeSet<Item>) {
    guard let cursor = document.to.cursor else { throw .noCursor }
    var list = list
    do {
      let changes = try list.apply(document)
      return (ListCopy(document.to, cursor, list), changes)
    } catch {
      throw .document(error)
    }
  }
}
