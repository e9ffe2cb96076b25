import ListModel
import TestSupport

extension SeededRandom {
  /// Pieces of ids and texts that are difficult for formats.
  private static let pieces = [
    "a", "b", "7", " ", "é", "e\u{301}", "😀", "\"", "\\", "\n", "\u{1}", "/", "~", "\u{1F}",
  ]

  mutating func text(upTo limit: Int) -> String {
    (0..<Int.random(in: 0...limit, using: &self)).map { _ in
      Self.pieces.randomElement(using: &self) ?? ""
    }.joined()
  }

  /// The id for a number, always the same.
  private func id(_ number: Int) -> String { Self.pieces[number % Self.pieces.count] + "\(number)" }

  private mutating func quoted(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      let isPlain = scalar.value >= 0x20 && scalar != "\"" && scalar != "\\"
      let hex = String(scalar.value, radix: 16)
      let zeros = String(repeating: "0", count: max(0, 4 - hex.count))
      return isPlain ? String(scalar) : "\\u\(zeros)\(hex)"
    }.reduce("\"", +) + "\""
  }

  /// An item with one of many contents; its id is the member `id`.
  mutating func item(_ number: Int) throws -> Item {
    let id = id(number)
    let value =
      switch Int.random(in: 0..<5, using: &self) {
      case 0: "null"
      case 1: "\(Int.random(in: 0...2, using: &self)).50"
      case 2: quoted(text(upTo: 5))
      case 3: "[1, {\"x\": \(quoted(text(upTo: 2)))}]"
      default: "{\"b\": 1, \"a\": []}"
      }
    let content = try Content(json: "{\"value\": \(value), \"id\": \(quoted(id))}")
    return Item(id: ItemID(id), content: content)
  }

  /// A snapshot of up to `limit` items, chosen from half as many again, in any order.
  mutating func snapshot(upTo limit: Int) throws -> Snapshot {
    let count = Int.random(in: 0...limit, using: &self)
    let numbers = Array(0..<limit * 3 / 2).shuffled(using: &self).prefix(count)
    return try Snapshot(numbers.map { try item($0) })
  }

  /// A snapshot after a few edits: items removed, moved, changed, and ids that return from `pool`;
  /// sometimes reversed or emptied.
  mutating func edited(_ snapshot: Snapshot, pool limit: Int) throws -> Snapshot {
    var items = snapshot.items
    for _ in 0..<Int.random(in: 0...5, using: &self) {
      switch Int.random(in: 0..<20, using: &self) {
      case 0: items.removeAll()
      case 1: items.reverse()
      case 2..<7 where !items.isEmpty: items.remove(at: Int.random(in: items.indices, using: &self))
      case 7..<12 where !items.isEmpty:
        let moved = items.remove(at: Int.random(in: items.indices, using: &self))
        items.insert(moved, at: Int.random(in: 0...items.count, using: &self))
      default:
        let new = try item(Int.random(in: 0..<limit * 3 / 2, using: &self))
        if let index = items.firstIndex(where: { $0.id == new.id }) {
          items[index] = new
        } else {
          items.insert(new, at: Int.random(in: 0...items.count, using: &self))
        }
      }
    }
    return try Snapshot(items)
  }
}
