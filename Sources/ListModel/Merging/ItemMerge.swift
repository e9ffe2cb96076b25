import ListChanges

/// The result of merging lists of items, whose contents merge by members.
public struct ItemMerge: Equatable, Sendable {
  /// An item, or a member of one, that the two sides changed in different ways.
  public struct Conflict: Equatable, Sendable {
    public let id: ItemID
    public let kind: MergeConflictKind
    /// The member, and the values that the three lists have for it. The path is empty, and the
    /// value of one side nil, where that side removed the item.
    public let member: MemberConflict

    public init(id: ItemID, kind: MergeConflictKind, member: MemberConflict) {
      (self.id, self.kind, self.member) = (id, kind, member)
    }
  }

  /// The canonical change set from theirs to the merged list; nil when there are conflicts, and no
  /// side is preferred.
  public let changes: ChangeSet<Item>?
  /// Ascending by the bytes of the id, then of the path.
  public let conflicts: [Conflict]
}

extension Snapshot {
  /// Merges this list, *mine*, into *theirs*; both were made of *base*.
  ///
  /// - Complexity: As two comparisons, and O(bytes of the contents that both sides changed).
  public func merged(
    into theirs: Snapshot, base: Snapshot, preferring side: MergeSide? = nil
  ) -> ItemMerge {
    let merge = base.changes(to: self).mergedByMembers(
      into: base.changes(to: theirs), preferring: side)
    return ItemMerge(
      changes: merge.changes?.namingMoves { theirs.items[$0].id }, conflicts: merge.conflicts)
  }
}

extension ChangeSet<Item> {
  /// Merges these changes, *mine*, into those of *theirs* by the rules of
  /// `merged(into:preferring:merging:)`, and contents by their members (``Content``).
  ///
  /// - Returns: the merge. A move of an item that neither side moved has no id.
  /// - Precondition: Both start from the same list; only the counts are checked.
  /// - Complexity: O(d log d) for the d changes of both sides, and O(bytes of the contents that
  ///   both changed); independent of the lists' lengths.
  public func mergedByMembers(
    into theirs: ChangeSet<Item>, preferring side: MergeSide? = nil
  ) -> ItemMerge {
    var conflicts: [ItemMerge.Conflict] = []
    let merge = merged(into: theirs, preferring: side ?? .theirs) { base, mine, theirs in
      let merged = mine.content.merged(
        into: theirs.content, base: base?.content, preferring: side ?? .theirs)
      conflicts += merged.conflicts.map {
        ItemMerge.Conflict(id: mine.id, kind: base == nil ? .inserted : .changed, member: $0)
      }
      return Item(id: mine.id, content: merged.content)
    }
    // The others are items that one side removed.
    conflicts += merge.conflicts.map {
      ItemMerge.Conflict(
        id: $0.id, kind: $0.kind,
        member: MemberConflict(
          path: JSONPointer(tokens: []), base: $0.base?.content, mine: $0.mine?.content,
          theirs: $0.theirs?.content))
    }
    let isDecided = side != nil || conflicts.isEmpty
    return ItemMerge(
      changes: isDecided ? merge.changes : nil, conflicts: conflicts.sorted { $0.precedes($1) })
  }
}

extension ItemMerge.Conflict {
  fileprivate func precedes(_ other: Self) -> Bool {
    if id != other.id { return id < other.id }
    let (path, otherPath) = (member.path.description, other.member.path.description)
    return path.utf8.lexicographicallyPrecedes(otherPath.utf8)
  }
}
