import Crypto
import ListChanges
import ListModel

@testable import ListStore

/// The codings of parts and of kept changes: accepted bytes decode and encode to the same values. A
/// wrong digest is refused. With a right one, the bytes before it are tested.
enum CodingTarget {
  private static let digestByteCount = 8
  private static let list = ListKey(rawValue: 1)

  static func runPart(_ bytes: [UInt8]) throws(FuzzTarget.Finding) -> Bool {
    let isPlain = try checkPart(bytes)
    try expect(!isPlain || isWholeParts(bytes), "a wrong digest was accepted")
    return try checkPart(sealed(bytes)) || isPlain
  }

  private static func checkPart(_ bytes: [UInt8]) throws(FuzzTarget.Finding) -> Bool {
    var items: [StoredItem] = []
    guard (try? PartCoding.decode(bytes, of: list, into: &items)) != nil else { return false }
    try expect(items.count <= 2048 * max(1, bytes.count / 8), "more items than parts can hold")
    for start in stride(from: 0, to: items.count, by: PartCoding.maximumCount) {
      let end = min(start + PartCoding.maximumCount, items.count)
      var again: [StoredItem] = []
      let coded = PartCoding.encode(items[start..<end])
      try? PartCoding.decode(coded, of: list, into: &again)
      try expect(again == Array(items[start..<end]), "other items are read back")
    }
    return true
  }

  /// Whether the first bytes are followed by their digest, as in each of several parts.
  private static func isWholeParts(_ bytes: [UInt8]) -> Bool {
    bytes.isEmpty
      || (1...max(1, bytes.count)).contains { end in
        end + digestByteCount <= bytes.count
          && bytes[end..<end + digestByteCount].elementsEqual(digest(of: bytes[..<end]))
      }
  }

  static func runKeptChanges(_ bytes: [UInt8]) throws(FuzzTarget.Finding) -> Bool {
    let end = max(0, bytes.count - digestByteCount)
    let isPlain = try checkKeptChanges(bytes)
    try expect(
      !isPlain || bytes[end...].elementsEqual(digest(of: bytes[..<end])),
      "a wrong digest was accepted")
    return try checkKeptChanges(sealed(bytes)) || isPlain
  }

  private static func checkKeptChanges(_ bytes: [UInt8]) throws(FuzzTarget.Finding) -> Bool {
    guard let changes = try? ChangeSetCoding.decode(bytes) else { return false }
    // A kept move has an id; the coding says so by its type.
    let again = try? ChangeSetCoding.decode(ChangeSetCoding.encode(changes))
    try expect(again == changes, "other changes are read back")
    return true
  }

  static func runIDPart(_ bytes: [UInt8]) throws(FuzzTarget.Finding) -> Bool {
    guard let part = try? IDPart(last: IDPart.lastPrefix, encoded: bytes) else { return false }
    let again = try? IDPart(last: IDPart.lastPrefix, encoded: part.encoded)
    try expect(again == part, "other ids are read back")
    return true
  }

  /// The bytes, with the last ones replaced by the digest of the rest.
  private static func sealed(_ bytes: [UInt8]) -> [UInt8] {
    let body = bytes.dropLast(digestByteCount)
    return body + digest(of: body)
  }

  private static func digest(of bytes: ArraySlice<UInt8>) -> [UInt8] {
    Array(SHA256.hash(data: bytes).prefix(digestByteCount))
  }
}
