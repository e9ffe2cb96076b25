import ListChanges
import ListModel

/// The check of segments by `verify`. Replay checks the meaning of texts and steps; this checks
/// that each text belongs to the item and step that the changes name.
extension ListReader {
  /// Returns the first fault of the segments of a list; nil if there is none.
  ///
  /// - Complexity: O(c log c) for c changes; memory for those of a segment, without texts.
  func segmentFault(of list: ListKey) throws -> String? {
    for segment in try segments(of: list) {
      let starts = try starts(of: segment, in: list)
      var expected: [ExpectedRevision] = []
      if segment.firstStep < segment.changes.upperBound {
        try changeRows(segment.firstStep..<segment.changes.upperBound, of: list) { row in
          let isOwn = row.introducesItem && row.writesContent
          let step = isOwn ? nil : starts.partitioningIndex { $0 > row.sequence } - 1
          expected.append(
            ExpectedRevision(
              item: row.item.sequence, step: step, hasText: row.writesContent,
              hasID: row.introducesItem))
        }
      }
      var found: [ExpectedRevision] = []
      var revisions = SegmentRevisions(of: segment, in: list)
      while let item = revisions.item(self) {
        let hasID = try revisions.id(self) != nil
        guard let revision = try revisions.next(self) else { break }
        // Pruned steps have no changes to compare with: only their texts are kept.
        if revision.step.map({ starts[$0] }) ?? item < segment.firstStep { continue }
        found.append(
          ExpectedRevision(
            item: item, step: revision.step, hasText: revision.text != nil,
            hasID: revision.step == nil && hasID))
      }
      let count = Int(segment.changes.upperBound - segment.firstStep)
      if expected.count != count || expected.sorted() != found.sorted() {
        return "a segment has other texts than its changes wrote"
      }
    }
    return nil
  }
}

/// A change of an item by a step.
private struct ExpectedRevision: Hashable, Comparable {
  let item: Int64
  /// The step; nil for the step that introduced the item.
  let step: Int?
  let hasText: Bool
  let hasID: Bool

  static func < (a: ExpectedRevision, b: ExpectedRevision) -> Bool {
    (a.item, a.step ?? -1) < (b.item, b.step ?? -1)
  }
}
