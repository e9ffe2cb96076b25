import ListChanges
import ListModel

/// The check of packed rows by `verify`. Replay checks the meaning of texts and steps; this checks
/// that each text belongs to the item and step that the changes name.
extension ListReader {
  /// Returns the first fault of the slices of a list; nil if there is none.
  ///
  /// - Complexity: O(c log c) for c packed changes; memory for those of a slice, without texts.
  func packFault(of list: ListKey) throws -> String? {
    for slice in try slices(of: list) {
      let starts = try starts(of: slice, in: list)
      var expected: [PackedTouch] = []
      if slice.firstStep < slice.changes.upperBound {
        try packedRows(slice.firstStep..<slice.changes.upperBound, of: list) { row in
          let isOwn = row.introducesItem && row.writesContent
          let step = isOwn ? nil : starts.partitioningIndex { $0 > row.sequence } - 1
          expected.append(
            PackedTouch(
              item: row.item.sequence, step: step, hasText: row.writesContent,
              hasID: row.introducesItem))
        }
      }
      var found: [PackedTouch] = []
      var touches = SliceTouches(of: slice, in: list)
      while let item = touches.item(self) {
        let hasID = try touches.id(self) != nil
        guard let touch = try touches.next(self) else { break }
        // Pruned steps have no changes to compare with: only their texts are kept.
        if touch.step.map({ starts[$0] }) ?? item < slice.firstStep { continue }
        found.append(
          PackedTouch(
            item: item, step: touch.step, hasText: touch.text != nil,
            hasID: touch.step == nil && hasID))
      }
      let count = Int(slice.changes.upperBound - slice.firstStep)
      if expected.count != count || expected.sorted() != found.sorted() {
        return "a slice has other texts than its changes wrote"
      }
    }
    return nil
  }
}

/// A change of an item by a step.
private struct PackedTouch: Hashable, Comparable {
  let item: Int64
  /// The step; nil for the step that introduced the item.
  let step: Int?
  let hasText: Bool
  let hasID: Bool

  static func < (a: PackedTouch, b: PackedTouch) -> Bool {
    (a.item, a.step ?? -1) < (b.item, b.step ?? -1)
  }
}
