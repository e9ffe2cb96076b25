import ListChanges
import ListModel

/// The changes of both sides of a merge, and the decisions of its conflicts.
public struct MergeReport: Equatable, Sendable {
  /// The changes that one side made to the base.
  public struct Side: Equatable, Sendable {
    public let changes: ChangeCounts
    /// The ids of the changed items: those that were removed, then those that were inserted, moved
    /// or updated, by their index in the list of the side. They are cut off after 64 kB.
    public let ids: [ItemID]
    /// Whether ``ids`` has all.
    public let isWhole: Bool
  }

  /// The version that mine was made from.
  public let base: Cursor
  /// The head that mine was merged into.
  public let head: Cursor
  public let mine: Side
  public let theirs: Side
  /// Which side decided the conflicts; nil if none was preferred.
  public let preferred: MergeSide?
  /// The conflicts that the preferred side decided.
  public let conflicts: MergeConflicts
}

/// The conflicts of a merge, ascending by id and path.
public struct MergeConflicts: Equatable, Sendable {
  /// The first conflicts: as many as have at most 1 MiB of ids, paths and values together, but at
  /// least one.
  public let listed: [ItemMerge.Conflict]
  /// The number of all.
  public let count: Int

  package static let byteLimit = 1 << 20

  package init(_ all: [ItemMerge.Conflict], byteLimit: Int = Self.byteLimit) {
    let few = all.prefix(byteLimit: byteLimit)
    listed = few.isEmpty ? Array(all.prefix(1)) : Array(few)
    count = all.count
  }

  private init(listed: [ItemMerge.Conflict], count: Int) {
    (self.listed, self.count) = (listed, count)
  }

  /// The same conflicts, of which only the first are listed: as many as have at most some bytes
  /// together.
  package func listed(byteLimit: Int) -> MergeConflicts {
    MergeConflicts(listed: Array(listed.prefix(byteLimit: byteLimit)), count: count)
  }
}

extension [ItemMerge.Conflict] {
  fileprivate func prefix(byteLimit: Int) -> ArraySlice<ItemMerge.Conflict> {
    var byteCount = 0
    return prefix { conflict in
      byteCount += conflict.byteCount
      return byteCount <= byteLimit
    }
  }
}

extension ItemMerge.Conflict {
  /// About how many bytes a document needs for it.
  fileprivate var byteCount: Int {
    let values = [member.base, member.mine, member.theirs].compactMap(\.self)
    return values.reduce(64 + id.text.utf8.count + member.path.description.utf8.count) {
      $0 + $1.bytes.count
    }
  }
}

extension MergeReport.Side {
  private static let idByteLimit = 64 << 10

  /// - Precondition: Every move has its id.
  init(_ changes: ChangeSet<Item>) {
    let placed =
      changes.inserted.map { ($0.to, $0.element.id) }
      + changes.moved.compactMap { move in move.id.map { (move.to, $0) } }
      + changes.updated.map { ($0.to, $0.new.id) }
    var all = changes.removed.map(\.element.id)
    for (_, id) in placed.sorted(by: { $0.0 < $1.0 }) where all.last != id { all.append(id) }
    var byteCount = 0
    ids = Array(
      all.prefix { id in
        byteCount += id.text.utf8.count + 3
        return byteCount <= Self.idByteLimit
      })
    isWhole = ids.count == all.count
    self.changes = ChangeCounts(changes)
  }
}
