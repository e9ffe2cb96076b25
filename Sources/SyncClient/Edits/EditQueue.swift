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
  /// The number of requests that may have brought the first edits to the server.
  private(set) var tryCount = 0
  /// Later edits; nil without first ones.
  private(set) var second: PendingEdits?

  public var isEmpty: Bool { first == nil }

  /// Whether the server may have the first edits.
  var isSent: Bool { tryCount > 0 }

  /// Whether only the ways to the copy and the requests may differ.
  func hasSameEdits(as other: EditQueue) -> Bool {
    first?.sent == other.first?.sent && second?.sent == other.second?.sent
  }

  init(first: PendingEdits? = nil, tryCount: Int = 0, second: PendingEdits? = nil) {
    (self.first, self.tryCount, self.second) = (first, tryCount, second)
  }

  /// From the copy to the list that is shown, in which the user's side of each conflict stands; nil
  /// without edits.
  ///
  /// - Complexity: O(d log d) for the d changes of the edits and of the news since their base.
  package var shownChanges: ChangeSet<Item>? { changes(preferring: .mine) }

  private func changes(preferring side: MergeSide) -> ChangeSet<Item>? {
    guard let first else { return nil }
    let mine = first.merged().changes
    let chosen = side == .mine ? mine : first.merged(preferring: side).changes
    guard let second else { return chosen }
    let later = second.following(mine.inverted().composed(with: chosen))
    return chosen.composed(with: later.merged(preferring: side).changes)
  }

  /// The conflicts of the edits with the news, with the values that are shown: a decision for the
  /// others gives up these edits, and no more.
  var conflicts: [ItemMerge.Conflict] {
    guard let first else { return [] }
    let (mine, conflicts) = first.merged()
    guard let second else { return conflicts }
    if conflicts.isEmpty { return second.merged().conflicts }
    // Later edits of what the first ones have in conflict are in conflict, too.
    let theirs = first.merged(preferring: .theirs).changes
    let below = mine.inverted().composed(with: theirs)
    return conflicts.replaced(by: second.following(below).merged().conflicts)
  }
}

extension [ItemMerge.Conflict] {
  /// These conflicts, and those of later edits in the place of those of the same members.
  fileprivate func replaced(by later: Self) -> Self {
    var rest = Dictionary(grouping: later, by: \.id)
    let result = map { conflict in
      let path = conflict.member.path.tokens
      guard let index = rest[conflict.id]?.firstIndex(where: { $0.member.path.tokens == path }),
        let newer = rest[conflict.id]?.remove(at: index)
      else { return conflict }
      guard newer.kind == conflict.kind else { return newer }
      return Element(
        id: newer.id, kind: newer.kind,
        member: MemberConflict(
          path: newer.member.path, base: conflict.member.base, mine: newer.member.mine,
          theirs: newer.member.theirs))
    }
    return result + later.filter { rest[$0.id]?.contains($0) ?? false }
  }
}

extension EditQueue {
  /// The edits after a further one, which decides the conflicts that there are.
  ///
  /// - Parameters:
  ///   - edit: from the list that is shown.
  ///   - copy: the copy.
  package func editing(_ edit: ChangeSet<Item>, over copy: ListCopy) throws -> EditQueue {
    guard isSent, let first else {
      let mine = shownChanges.map { $0.composed(with: edit) } ?? edit
      return try EditQueue(of: mine, over: copy)
    }
    let mine = second.map { $0.merged().changes.composed(with: edit) } ?? edit
    guard !mine.isEmpty else { return EditQueue(first: first, tryCount: tryCount) }
    let list = try copy.list.applying(first.merged().changes)
    let base = ListState(cursor: nil, count: list.count, root: list.root)
    return EditQueue(
      first: first, tryCount: tryCount,
      second: PendingEdits(base: base, mine: try mine.named(in: list)))
  }

  /// Edits that lead from the copy to the shown list.
  private init(of mine: ChangeSet<Item>, over copy: ListCopy) throws {
    if !mine.isEmpty { first = try PendingEdits(of: copy, mine) }
  }

  /// The edits after a step of the copy. They are merged from their original base again.
  package func following(_ step: ReplicaStep) throws -> EditQueue {
    guard let first else { return self }
    let list = step.after.list
    let newFirst = try first.following(step.changes).named(in: list)
    guard let second else { return EditQueue(first: newFirst, tryCount: tryCount) }
    let (old, new) = (first.merged().changes, newFirst.merged().changes)
    let below = old.inverted().composed(with: step.changes).composed(with: new)
    let newSecond = try second.following(below).named(in: list.applying(new))
    return EditQueue(first: newFirst, tryCount: tryCount, second: newSecond)
  }

  /// The edits, ready for one more request. The first ones are never changed again before an
  /// answer.
  ///
  /// - Returns: the same edits if they were not sent and there are conflicts.
  func sealed(over copy: ListCopy) throws -> EditQueue {
    if isSent { return EditQueue(first: first, tryCount: tryCount + 1, second: second) }
    guard let first, conflicts.isEmpty else { return self }
    let changes = first.merged().changes
    // Somebody else has made the same changes.
    if changes.isEmpty { return try finished(over: copy) }
    var result = self
    if first.base.cursor == nil {
      result.first = try PendingEdits(of: copy, changes)
    }
    result.tryCount = 1
    return result
  }

  /// The edits after an answer that refuses the first ones: the server does not have them.
  ///
  /// - Parameter keepsBase: whether the server has their base. If not, they will be made of
  ///   the copy, as soon as they have no conflicts.
  func unsealed(keepsBase: Bool) -> EditQueue {
    var result = self
    result.tryCount = 0
    if !keepsBase, let first {
      let base = ListState(cursor: nil, count: first.base.count, root: first.base.root)
      result.first = PendingEdits(base: base, mine: first.mine, toBase: first.toBase)
    }
    return result
  }

  /// The edits without the first ones, which the copy has.
  func finished(over copy: ListCopy) throws -> EditQueue {
    guard let first, let second else { return .empty }
    let rest = try second.following(first.merged().changes.inverted()).named(in: copy.list)
    let merge = rest.merged()
    // Somebody else has made the same changes.
    if merge.conflicts.isEmpty, merge.changes.isEmpty { return .empty }
    return EditQueue(first: rest)
  }

  /// The edits with all conflicts decided by a side, as edits of the copy.
  func resolved(preferring side: MergeSide, over copy: ListCopy) throws -> EditQueue {
    guard let changes = changes(preferring: side) else { return self }
    return try EditQueue(of: changes, over: copy)
  }

  /// The edits after a change; the same ones if they are no longer those of the change.
  func applying(_ change: EditMachine.Change, over copy: ListCopy) throws -> EditQueue {
    switch change {
    case .seal: return try sealed(over: copy)
    case .unseal(let request, let keepsBase):
      return first?.sent == request.edits && tryCount == request.tryCount
        ? unsealed(keepsBase: keepsBase) : self
    case .finish(let edits): return first?.sent == edits ? try finished(over: copy) : self
    }
  }
}
