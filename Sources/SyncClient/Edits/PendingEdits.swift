import ListChanges
import ListModel

/// Edits as a server tells them apart (P55).
struct SentEdits: Equatable, Sendable {
  let base: ListState
  let mine: ChangeSet<Item>
}

/// A request with edits, of which there may be several.
struct SentRequest: Equatable, Sendable {
  let edits: SentEdits
  /// The number of requests with these edits so far, from 1.
  let tryCount: Int
}

/// Edits that the server does not have: the changes of a base, and the way from the copy to it.
///
///     base ──── mine ───▶ edited
///      ▲
///      └─ toBase ─ the list below: the copy, or the list that earlier edits make of it
struct PendingEdits: Equatable, Sendable {
  /// The list that the edits were made of. It has a cursor if it is a version of the server's list.
  let base: ListState
  /// From the base to the edited list, canonical. Every move has its id.
  let mine: ChangeSet<Item>
  /// From the list below to the base. Every move has its id.
  let toBase: ChangeSet<Item>

  init(base: ListState, mine: ChangeSet<Item>, toBase: ChangeSet<Item>) {
    (self.base, self.mine, self.toBase) = (base, mine, toBase)
  }

  /// Edits of the list below itself.
  init(base: ListState, mine: ChangeSet<Item>) {
    self.init(base: base, mine: mine, toBase: .none(count: base.count))
  }

  var sent: SentEdits { SentEdits(base: base, mine: mine) }

  /// Edits of a copy.
  init(of copy: ListCopy, _ mine: ChangeSet<Item>) throws {
    let state = copy.state
    self.init(
      base: ListState(cursor: copy.cursor, count: state.count, root: state.root),
      mine: try mine.named(in: copy.list))
  }

  /// The edits, merged into the list below from the original base. The side decides conflicts.
  ///
  /// - Complexity: O(d log d) for the d changes of both sides.
  func merged(preferring side: MergeSide = .mine) -> (
    changes: ChangeSet<Item>, conflicts: [ItemMerge.Conflict]
  ) {
    let merge = mine.mergedByMembers(into: toBase.inverted(), preferring: side)
    guard let changes = merge.changes else { preconditionFailure("a side is preferred") }
    return (changes, merge.conflicts)
  }

  /// The same edits after a step of the list below. Its moves may lack their ids.
  func following(_ step: ChangeSet<Item>) -> PendingEdits {
    PendingEdits(base: base, mine: mine, toBase: step.inverted().composed(with: toBase))
  }

  /// The same edits with every move named.
  ///
  /// - Parameter list: the list below; made if a move has no id.
  func named(in list: @autoclosure () throws -> CopiedList) throws -> PendingEdits {
    PendingEdits(base: base, mine: mine, toBase: try toBase.named(in: list()))
  }
}

extension ChangeSet<Item> {
  /// No changes of a list with a number of items.
  package static func none(count: Int) -> ChangeSet {
    do {
      return try ChangeSet(oldCount: count, newCount: count)
    } catch {
      preconditionFailure("no changes are valid: \(error)")
    }
  }

  /// The same changes with every move named.
  ///
  /// - Parameter list: the old list; made if a move has no id.
  package func named(in list: @autoclosure () throws -> CopiedList) throws -> ChangeSet {
    guard moved.contains(where: { $0.id == nil }) else { return self }
    let list = try list()
    return try namingMoves { try list.item(at: $0).id }
  }
}
