import ListDocuments
import ListModel

/// A snapshot file: its canonical document reads as the same snapshot, and is a fixed point.
/// Readers that work differently give the same result.
struct SnapshotTarget {
  let format: SnapshotOptions.Format

  func run(_ bytes: [UInt8]) throws(FuzzTarget.Finding) -> Bool {
    var isAccepted = false
    for (rule, duplicates) in [
      (IDRule.standard, SnapshotOptions.Duplicates.refuse), (Self.itself, .keepFirst),
      (Self.compound, .keepLast),
    ] {
      var options = SnapshotOptions(format: format, idRule: rule, duplicates: duplicates)
      options.limits[.itemBytes] = 1 << 16
      options.limits[.commitBytes] = 1 << 20
      if try check(bytes, options) { isAccepted = true }
    }
    return isAccepted
  }

  private static let itself = rule(".")
  private static let compound = rule("id|/a/0", "name")

  private static func rule(_ fields: String...) -> IDRule {
    guard let rule = try? IDRule(fields) else { preconditionFailure("a valid rule") }
    return rule
  }

  private enum Outcome: Equatable {
    case read(Snapshot, leftOutCount: Int)
    case refused(SnapshotError)

    init(_ read: () throws(SnapshotError) -> ReadSnapshot) {
      do throws(SnapshotError) {
        let file = try read()
        self = .read(file.snapshot, leftOutCount: file.leftOutCount)
      } catch {
        self = .refused(error)
      }
    }
  }

  private func check(
    _ bytes: [UInt8], _ options: SnapshotOptions
  ) throws(FuzzTarget.Finding) -> Bool {
    let outcome = Outcome { () throws(SnapshotError) in
      try SnapshotReader(options: options).read(bytes)
    }
    var reader = SnapshotReader(options: options)
    reader.chunkByteCount = 16
    let inParts = Outcome { () throws(SnapshotError) in try reader.read(bytes) }
    try expect(inParts == outcome, "in parts: \(inParts), not \(outcome)")
    var series = SnapshotSeriesReader(options: options)
    for _ in 1...2 {
      let again = Outcome { () throws(SnapshotError) in try series.read(bytes) }
      try expect(again == outcome, "in a series: \(again), not \(outcome)")
    }
    guard case .read(let snapshot, _) = outcome else { return false }
    var contents = ContentCheck()
    for item in snapshot.items {
      try expect(contents.isCanonical(item.content), "not canonical: \(item.content)")
    }
    let document = SnapshotDocument.encode(snapshot)
    var plain = SnapshotOptions(format: .json, idRule: options.idRule)
    plain.limits = options.limits
    let again = Outcome { () throws(SnapshotError) in
      try SnapshotReader(options: plain).read(document)
    }
    try expect(again == .read(snapshot, leftOutCount: 0), "its own document: \(again)")
    return true
  }
}
