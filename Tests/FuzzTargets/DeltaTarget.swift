import ListDocuments
import ListModel

/// A delta document: written in either layout, it reads back equal. Applying or rendering it has
/// the stated effect, or is refused.
enum DeltaTarget {
  static func runDelta(_ bytes: [UInt8]) throws(FuzzTarget.Finding) -> Bool {
    guard let document = try? DeltaDocument(bytes) else { return false }
    for layout in [DeltaDocument.Layout.line, .lines] {
      let again = try? DeltaDocument(document.encoded(layout))
      try expect(again == document, "another delta is read back")
    }
    for snapshot in FuzzSeeds.snapshots {
      guard let result = try? document.applied(to: snapshot) else { continue }
      try expect(Checksum(of: result) == document.to.checksum, "not the promised result")
      try expect(result.items.count == document.to.count, "not the promised count")
    }
    _ = try? document.jsonPatch()
    return true
  }

  static func runSnapshot(_ bytes: [UInt8]) throws(FuzzTarget.Finding) -> Bool {
    guard let document = try? SnapshotDelta(bytes) else { return false }
    for layout in [DeltaDocument.Layout.line, .lines] {
      let again = try? SnapshotDelta(document.encoded(layout))
      try expect(again == document, "another list is read back")
    }
    return true
  }
}
