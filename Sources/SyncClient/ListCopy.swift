import ListChanges
import ListDocuments
import ListModel

/// A list as a replica has it: a snapshot, with the state that it was proved to be.
///
/// There is none whose items do not give the checksum of its state.
public struct ListCopy: Equatable, Sendable {
  /// Version 0 of every list: what a replica has before its first answer.
  public static let empty = ListCopy(unchecked: .zero, cursor: .zero, .empty)

  public let state: ListState
  /// The cursor of the state.
  public let cursor: Cursor
  public let snapshot: Snapshot
  /// The ids of the items; nil until changes look them up.
  private let ids: Set<ItemID>?

  private init(
    unchecked state: ListState, cursor: Cursor, _ snapshot: Snapshot, ids: Set<ItemID>? = nil
  ) {
    self.state = state
    self.cursor = cursor
    self.snapshot = snapshot
    self.ids = ids
  }

  public static func == (a: ListCopy, b: ListCopy) -> Bool {
    a.state == b.state && a.snapshot == b.snapshot
  }

  /// Whether the next changes hash their own ids alone, for tests that count.
  var knowsIDs: Bool { ids != nil }

  /// - Throws: `Mismatch.noCursor` when the state has no cursor, `.document(.wrongResult)` when the
  ///   snapshot is not the one that it describes.
  /// - Complexity: a SHA-256 for every item.
  public init(state: ListState, snapshot: Snapshot) throws(Mismatch) {
    guard let cursor = state.cursor else { throw .noCursor }
    let found = Checksum(of: snapshot)
    guard snapshot.items.count == state.count, found == state.checksum else {
      throw .document(.wrongResult(expected: state.checksum, found: found))
    }
    self.init(unchecked: state, cursor: cursor, snapshot)
  }

  /// The copy that a whole list makes, which was proved when the document was read.
  init(_ delta: SnapshotDelta) throws(Mismatch) {
    guard let cursor = delta.to.cursor else { throw .noCursor }
    self.init(unchecked: delta.to, cursor: cursor, delta.snapshot)
  }

  /// The copy that changes lead to, and the changes with what they take away.
  ///
  /// - Throws: `Mismatch` when the changes do not start from this copy, do not fit it, or lead
  ///   elsewhere than the document promises. Nothing is handed out then.
  /// - Complexity: O(n + d log d) for n items and d changes, and a SHA-256 for each change's term;
  ///   for each item where most of them changed. All ids are hashed for the first changes of a copy
  ///   that was read whole, and never again for those that come of it.
  func applying(
    _ document: DeltaDocument
  ) throws(Mismatch) -> (copy: ListCopy, changes: ChangeSet<Item>) {
    guard document.from == state else {
      throw .document(
        .notTheStart(expected: document.from.checksum, found: state.checksum))
    }
    guard let cursor = document.to.cursor else { throw .noCursor }
    let items = snapshot.items
    var ids = ids ?? Set(items.map(\.id))
    let changes: ChangeSet<Item>
    let result: Snapshot
    do {
      changes = try document.changes.completed { items[$0] }
      // Going through the whole list tells where an item stands twice.
      result =
        try ids.apply(changes)
        ? Snapshot(uniqueItems: items.applying(changes)) : snapshot.applying(changes)
    } catch let error as ListChangesError<ItemID> {
      throw .document(.changes(error))
    } catch {
      preconditionFailure("nothing else is thrown: \(error)")
    }
    // What a verified start and the terms that changed add up to is the result's own checksum.
    let found =
      changes.isSmall
      ? state.checksum.advanced(by: changes) { items[$0] } : Checksum(of: result)
    guard result.items.count == document.to.count, found == document.to.checksum else {
      throw .document(.wrongResult(expected: document.to.checksum, found: found))
    }
    return (ListCopy(unchecked: document.to, cursor: cursor, result, ids: ids), changes)
  }
}

extension Cursor {
  /// The cursor of version 0 of every list.
  static let zero = Cursor(version: .zero, chain: .zero)
}
