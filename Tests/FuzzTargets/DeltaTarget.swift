import ListDocuments
import ListModel

/// Documents of changes: written in either layout, a delta reads back equal. Applying or rendering
/// it has the stated effect, or is refused.
enum DeltaTarget {
  static func runDelta(_ bytes: [UInt8]) throws(FuzzTarget.Finding) -> Bool {
    guard let document = try? DeltaDocument(bytes) else { return false }
    for layout in [DeltaDocument.Layout.line, .lines] {
      let again = try? DeltaDocument(document.encoded(layout))
      try expect(again == document, "another delta is read back")
    }
    for snapshot in FuzzSeeds.snapshots {
      guard let result = try? document.applied(to: snapshot) else { continue }
      try expect(Root(of: result) == document.to.root, "not the promised result")
      try expect(result.items.count == document.to.count, "not the promised count")
    }
    _ = try? document.jsonPatch()
    return true
  }

  static func runMerge(_ bytes: [UInt8]) throws(FuzzTarget.Finding) -> Bool {
    guard let document = try? MergeDocument(bytes) else { return false }
    try expect((try? MergeDocument(document.encoded())) == document, "another merge is read back")
    for snapshot in FuzzSeeds.snapshots where snapshot.items.count == document.from.count {
      guard let delta = try? document.completed(oldItem: { snapshot.items[$0] }) else { continue }
      try expect((try? DeltaDocument(delta.encoded())) == delta, "its delta cannot be read back")
      try expect(delta.changes.updated.count == document.changes.updated.count, "updates are lost")
    }
    return true
  }

  /// Every edit can be read alone, from its position to the position of the next one.
  static func runEdits(_ bytes: [UInt8]) throws(FuzzTarget.Finding) -> Bool {
    guard let lines = try? EditLines(bytes, idRule: .standard) else { return false }
    // A position takes the time of the whole text.
    for index in lines.edits.indices.prefix(20) {
      let isLast = index + 1 == lines.edits.count
      let end = isLast ? bytes.count : lines.position(of: index + 1).offset
      let line = Array(bytes[lines.position(of: index).offset..<end])
      let alone = try? EditLines(line, idRule: .standard).edits
      try expect(alone == [lines.edits[index]], "edit \(index) stands elsewhere")
    }
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
