import ListChanges
import ListDocuments
import ListModel
import SyncService

/// The merge of two lists that have one base, for people and for programs.
struct MergedFiles {
  /// Nil when there are conflicts, and no side is preferred.
  let merged: Snapshot?
  private let conflicts: [ItemMerge.Conflict]
  private let counts: (mine: ChangeCounts, theirs: ChangeCounts)
  private let side: MergeSide?
  /// The items of the conflicts, for their titles.
  private let contents: [ItemID: Content]

  init(_ base: Snapshot, _ mine: Snapshot, _ theirs: Snapshot, preferring side: MergeSide?) {
    let changes = (mine: base.changes(to: mine), theirs: base.changes(to: theirs))
    let merge = changes.mine.mergedByMembers(into: changes.theirs, preferring: side)
    do {
      merged = try merge.changes.map(theirs.applying)
    } catch {
      preconditionFailure("the changes start from theirs: \(error)")
    }
    (conflicts, self.side) = (merge.conflicts, side)
    counts = (ChangeCounts(changes.mine), ChangeCounts(changes.theirs))
    let ids = Set(conflicts.map(\.id))
    contents = Dictionary(
      (theirs.items + mine.items).filter { ids.contains($0.id) }.map { ($0.id, $0.content) },
      uniquingKeysWith: { theirs, _ in theirs })
  }

  /// `mine: 1 moved; theirs: 2 inserted; 1 conflict decided for mine; 5 items`
  var summary: String {
    var parts = [
      "mine: \(Wording.changes(counts.mine))", "theirs: \(Wording.changes(counts.theirs))",
    ]
    if let side, !conflicts.isEmpty {
      parts.append("\(Wording.count(conflicts.count, "conflict")) decided for \(side.rawValue)")
    }
    if let merged { parts.append(Wording.count(merged.items.count, "item")) }
    return parts.joined(separator: "; ")
  }

  /// Each conflict with its values, under the title of its item.
  var conflictLines: [String] {
    [Wording.count(conflicts.count, "conflict")]
      + ConflictText.lines(of: conflicts, contents: contents)
  }

  func write(to writer: inout JSONWriter) {
    writer.member("outcome", merged == nil ? "conflicts" : "merged")
    if let merged {
      writer.member("count", merged.items.count)
      writer.member("root", Root(of: merged).description)
    }
    writer.member("preferred", side?.rawValue)
    writer.member("mine", counts.mine)
    writer.member("theirs", counts.theirs)
    writer.objects("conflicts", conflicts) { $0.members(of: $1) }
  }
}
