import ListChanges
import ListModel

@testable import ListStore

/// The codings of parts and of kept changes: accepted bytes decode and encode to the same values.
enum CodingTarget {
  private static let list = ListKey(rawValue: 1)

  static func runPart(_ bytes: [UInt8]) throws(FuzzTarget.Finding) -> Bool {
    var items: [StoredItem] = []
    guard (try? PartCoding.decode(bytes, of: list, upTo: .max, into: &items)) != nil else {
      return false
    }
    try expect(items.count <= 2048 * max(1, bytes.count / 8), "more items than parts can hold")
    for start in stride(from: 0, to: items.count, by: PartCoding.maximumCount) {
      let end = min(start + PartCoding.maximumCount, items.count)
      var again: [StoredItem] = []
      let coded = PartCoding.encode(items[start..<end])
      try? PartCoding.decode(coded, of: list, upTo: .max, into: &again)
      try expect(again == Array(items[start..<end]), "other items are read back")
    }
    return true
  }

  static func runKeptChanges(_ bytes: [UInt8]) throws(FuzzTarget.Finding) -> Bool {
    guard let changes = try? ChangeSetCoding.decode(bytes) else { return false }
    // A kept move has an id; the coding says so by its type.
    let again = try? ChangeSetCoding.decode(ChangeSetCoding.encode(changes))
    try expect(again == changes, "other changes are read back")
    return true
  }

  static func runIDPart(_ bytes: [UInt8]) throws(FuzzTarget.Finding) -> Bool {
    guard let part = try? IDPart(last: IDPart.lastHash, encoded: bytes) else { return false }
    let again = try? IDPart(last: IDPart.lastHash, encoded: part.encoded)
    try expect(again == part, "other ids are read back")
    return true
  }
}
