import ListChanges
import ListModel

/// The edits of a replica that its copy does not have, as they are saved with the copy.
///
/// Edits that were not sent are joined: they are one commit. Those that were sent stay as they are
/// until the server has answered, so that the same request can be repeated; later edits are made of
/// the list that they lead to, and follow them.
///
///     copy ── first ─▶ list ── second ─▶ the list that is shown
public struct EditQueue: Equatable, Sendable {
  public static let empty = EditQueue()

  private(set) var first: PendingEdits?
  /// Whether the server may have the first edits.
  private(set) var isSent = false
  /// Later edits; nil without first ones.
  private(set) var second: PendingEdits?

  public var isEmpty: Bool { first == nil }

  init(first: PendingEdits? = nil, isSent: Bool = false, second: PendingEdits? = nil) {
    (self.first, self.isSent, self.second) = (first, isSent, second)
  }

  /// From the copy to the list that is shown, in which the user's side of each conflict stands; nil
  /// without edits.
  ///
  /// - Complexity: O(d log d) for the d changes of the edits and of the news since their base.
  var shownChanges: ChangeSet<Item>? { changes(preferring: .mine) }

  private func changes(preferring side: MergeSide) -> ChangeSet<Item>? {
    guard let first else { return nil }
    let mine = first.merged().changes
    let chosen = side == .mine ? mine : first.merged(preferring: side).changes
    guard let second else { return chosen }
    let later = second.following(mine.inverted().composed(with: chosen))
    return chosen.composed(with: later.merged(preferring: side).changes)
  }

  /// The conflicts of the edits with the news, those of the first edits first.
  var conflicts: [ItemMerge.Conflict] {
    [first, second].compactMap { $0?.merged().conflicts }.flatMap { $0 }
  }
}

extension EditQueue {
  /// The edits after a further one, which decides the conflicts that there are.
  ///
  /// - Parameters:
  ///   - edit: from the list that is shown.
  ///   - copy: the copy.
  func editing(_ edit: ChangeSet<Item>, over copy: ListCopy) -> EditQueue {
    let items = copy.snapshot.items
    guard isSent, let first else {
      let mine = shownChanges.map { $0.composed(with: edit) } ?? edit
      return EditQueue(of: mine, over: copy)
    }
    let below = first.merged().changes
    let list = Self.apply(below, to: items)
    let mine = second.map { $0.merged().changes.composed(with: edit) } ?? edit
    guard !mine.isEmpty else { return EditQueue(first: first, isSent: true) }
    let base = ListState(of: Snapshot(uniqueItems: list))
    return EditQueue(
      first: first, isSent: true, second: PendingEdits(base: base, mine: mine.named { list }))
  }

  /// Edits that lead from the copy to the shown list.
  private init(of mine: ChangeSet<Item>, over copy: ListCopy) {
    if !mine.isEmpty {
      first = PendingEdits(of: copy, mine)
    }
  }

  /// The edits after a step of the copy. They are merged from their original base again.
  func following(_ step: ReplicaStep) -> EditQueue {
    guard let first else { return self }
    let items = step.after.snapshot.items
    let newFirst = first.following(step.changes).named { items }
    guard let second else { return EditQueue(first: newFirst, isSent: isSent) }
    let (old, new) = (first.merged().changes, newFirst.merged().changes)
    let below = old.inverted().composed(with: step.changes).composed(with: new)
    let newSecond = second.following(below).named { Self.apply(new, to: items) }
    return EditQueue(first: newFirst, isSent: isSent, second: newSecond)
  }

  /// The edits, ready to be sent. The first ones are never changed again before an answer.
  ///
  /// - Returns: the same edits if there are conflicts.
  func sealed(over copy: ListCopy) -> EditQueue {
    guard let first, conflicts.isEmpty else { return self }
    let changes = first.merged().changes
    // Somebody else has made the same changes.
    if changes.isEmpty { return finished(over: copy) }
    var result = self
    if first.base.cursor == nil {
      result.first = PendingEdits(of: copy, changes)
    }
    result.isSent = true
    return result
  }

  /// The edits after an answer that refuses the first ones: the server does not have them.
  ///
  /// - Parameter keepsBase: whether the server has their base. If not, they will be made of
  ///   the copy, as soon as they have no conflicts.
  func unsealed(keepsBase: Bool) -> EditQueue {
    var result = self
    result.isSent = false
    if !keepsBase, let first {
      let base = ListState(cursor: nil, count: first.base.count, root: first.base.root)
      result.first = PendingEdits(base: base, mine: first.mine, toBase: first.toBase)
    }
    return result
  }

  /// The edits without the first ones, which the copy has.
  func finished(over copy: ListCopy) -> EditQueue {
    guard let first, let second else { return .empty }
    let rest = second.following(first.merged().changes.inverted()).named { copy.snapshot.items }
    let merge = rest.merged()
    // Somebody else has made the same changes.
    if merge.conflicts.isEmpty, merge.changes.isEmpty { return .empty }
    return EditQueue(first: rest)
  }

  /// The edits with all conflicts decided by a side, as edits of the copy.
  func resolved(preferring side: MergeSide, over copy: ListCopy) -> EditQueue {
    guard let changes = changes(preferring: side) else { return self }
    return EditQueue(of: changes, over: copy)
  }

  func applying(_ change: EditMachine.Change, over copy: ListCopy) -> EditQueue {
    switch change {
    case .seal: isSent ? self : sealed(over: copy)
    // Somebody may have discarded the edits meanwhile.
    case .unseal(let keepsBase): isSent ? unsealed(keepsBase: keepsBase) : self
    case .finish: isSent ? finished(over: copy) : self
    }
  }

  static func apply(_ changes: ChangeSet<Item>, to items: [Item]) -> [Item] {
    do {
      return try items.applying(changes)
    } catch {
      preconditionFailure("the changes start from these items: \(error)")
    }
  }
}
