import ListModel
import SyncService

@testable import ListStore

extension SyncService {
  /// Prunes to the newest versions.
  @discardableResult
  package func prune(_ list: ListName = .parks, keepLast count: Int) async throws -> PruneOutcome {
    try await prune(PruneRequest(list: list, rule: RetentionRule(keepLast: count)!))
  }
}

/// The invariants of every list's change log after each pruning.
package enum LogInvariants {
  /// The broken invariants.
  package static func faults(of store: any ListStore) async throws -> [String] {
    try await store.read { reader in
      try reader.lists().filter { $0.head > .zero }.flatMap { list in
        try faults(of: list, reader)
      }
    }
  }

  /// A packed list has the texts before its first step that something refers to, and no others.
  private static func faults(of list: Unpacking, _ reader: ListReader) throws -> [String] {
    var count = 0
    for slice in list.slices {
      let starts = try reader.starts(of: slice, in: list.list)
      var touches = SliceTouches(of: slice, in: list.list)
      while let item = touches.item(reader), let touch = try touches.next(reader) {
        let start = touch.step.map { starts[$0] } ?? item
        if touch.text != nil, start < list.firstStep { count += 1 }
      }
    }
    let expected = list.kept.count(where: \.hasContent)
    return count == expected ? [] : ["\(count) old texts are packed, and \(expected) needed"]
  }

  private struct OldRow {
    let sequence: Int64
    let item: Int64
    let hasID: Bool
    let oldContent: Int64?
    let newContent: Int64?
    let hasContent: Bool
  }

  private static func faults(of list: ListRecord, _ reader: ListReader) throws -> [String] {
    if let unpacking = try reader.unpacking(of: list) { return try faults(of: unpacking, reader) }
    let rows = try rows(of: list, reader)
    let bySequence = Dictionary(uniqueKeysWithValues: rows.map { ($0.sequence, $0) })
    let firstAnswerable = try reader.firstChange(of: list.firstStep, in: list.key)
    let floor =
      list.oldest > Version(1) ? try reader.checkpoint(at: list.oldest, of: list.key) : []
    let answerable = rows.filter { $0.sequence >= firstAnswerable }
    let items = Set(floor.map(\.id.sequence) + answerable.map(\.item))
    let contents = Set(
      floor.map(\.content.sequence)
        + answerable.flatMap { [$0.oldContent, $0.newContent].compactMap { $0 } })
    var faults: [String] = []
    for item in items where bySequence[item]?.hasID != true {
      faults.append("\(list.name): item \(item) has no id")
    }
    for content in contents where bySequence[content]?.hasContent != true {
      faults.append("\(list.name): content \(content) is missing")
    }
    for row in rows where row.sequence < firstAnswerable {
      if row.hasID != items.contains(row.sequence)
        || row.hasContent != contents.contains(row.sequence)
      {
        faults.append("\(list.name): old row \(row.sequence) has a part that nobody needs")
      }
      if !row.hasID, !row.hasContent { faults.append("old row \(row.sequence) has nothing") }
      if bySequence[row.item] == nil { faults.append("old row \(row.sequence) has no item") }
      if let old = row.oldContent, bySequence[old]?.hasContent != true {
        faults.append("old row \(row.sequence) names content \(old), which is gone")
      }
    }
    return faults
  }

  private static func rows(of list: ListRecord, _ reader: ListReader) throws -> [OldRow] {
    try reader.rows(RowRange(of: .changes, in: list.key)) { found in
      let row = try ChangeRow(found)
      return OldRow(
        sequence: row.sequence, item: row.item.sequence, hasID: !found.isNull(8),
        oldContent: row.oldContent?.sequence, newContent: row.newContent?.sequence,
        hasContent: !found.isNull(9))
    }
  }
}
