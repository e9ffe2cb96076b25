import Foundation
import ListChanges
import ListModel
import TestSupport

extension VectorFile {
  static func roots() throws -> VectorFile {
    let history = try History.parks()
    let lists: [(name: String, items: [Item])] =
      [
        ("empty list", []), ("one item", try items(["a=1"])),
        ("ids that join to the same text", try items(["a=1", "bc=1"])),
        ("their other cut", try items(["ab=1", "c=1"])), ("two items", try items(["a=1", "b=2"])),
        ("two items in the other order", try items(["b=2", "a=1"])),
        ("a long id", try items([String(repeating: "é", count: 300) + "=1"])),
        ("100 items", try items((0..<100).map { "i\($0)=\($0)" })),
        ("1,200 items", try items((0..<1200).map { "i\($0)" })),
        ("256 items of which none ends a group", try unending(256)),
        ("257 items of which none ends a group", try unending(257)),
        ("a list that was forged", try forgery(isForged: false)),
        ("a forgery with its former checksum", try forgery(isForged: true)),
      ] + history.snapshots.enumerated().map { ("version \($0) of parks", $1.items) }
    var random = SeededRandom(seed: 7)
    let edited = try (1...5).map { number in
      try walk(&random, from: number * 6, "steps from \(number * 6) items")
    }
    return VectorFile(
      name: "roots",
      about: "A list as pairs of id and canonical content, the hash of each item, the number of "
        + "groups of level 1, and the root. 'steps' are changes one after the other, each with the "
        + "root after it.",
      vectors: lists.map { name, items in
        let tree = RootTree(of: items)
        var members: [(name: String, value: VectorValue)] = [
          ("name", .text(name)), ("rules", ["P7", "P8"]), ("items", .items(items)),
          ("groups", .number(tree.top.groupCount)), ("root", .text(tree.root.description)),
        ]
        if items.count <= 8 {
          let hashes = RootTree.hashes(of: items).map { Root($0).description }
          members.append(("hashes", .texts(hashes)))
        }
        return .members(members)
      } + edited)
  }

  /// Two lists with the same former checksum (`ForgerCampaign`); the numbers are what the attack
  /// chose.
  private static func forgery(isForged: Bool) throws -> [Item] {
    let url = Project.root.appendingPathComponent("Tests/Fixtures/forgery.json")
    let numbers = try JSONDecoder().decode([Int].self, from: Data(contentsOf: url))
    let contents =
      [#"{"allowed":\#(isForged)}"#] + numbers.map { #"{"n":\#(isForged ? $0 : 0)}"# }
    return try contents.enumerated().map { index, content in
      let digits = String(index, radix: 36)
      return Item(
        id: ItemID(digits.count < 2 ? "0" + digits : digits), content: try Content(json: content))
    }
  }

  /// Items whose hashes do not end a group.
  private static func unending(_ count: Int) throws -> [Item] {
    var (found, number): ([Item], Int) = ([], 0)
    while found.count < count {
      let item = try items(["n\(number)"])[0]
      if Root(RootTree.hashes(of: [item])[0]).bytes[0] & 31 != 0 { found.append(item) }
      number += 1
    }
    return found
  }

  /// A list and changes to it, one after the other.
  private static func walk(
    _ random: inout SeededRandom, from count: Int, _ name: String
  ) throws -> VectorValue {
    let start = try items((0..<count).map { "i\($0)=0" })
    var list = Snapshot(uniqueItems: start)
    let steps = try (0..<5).map { _ -> VectorValue in
      let next = Snapshot(uniqueItems: try random.edited(list.items, edits: 3))
      let changes = list.changes(to: next)
      list = next
      return ["changes": .changes(changes), "root": .text(Root(of: next).description)]
    }
    return [
      "name": .text(name), "rules": ["P9", "P13", "P15"], "items": .items(start),
      "groups": .number(RootTree(of: start).top.groupCount),
      "root": .text(Root(of: Snapshot(uniqueItems: start)).description),
      "steps": .list(steps),
    ]
  }

  static func chains() throws -> VectorFile {
    let history = try History.parks()
    return VectorFile(
      name: "chains",
      about: "A version with the previous chain; the chain and the cursor of the version.",
      vectors: history.records.map { record in
        [
          "name": .text("version \(record.version) of parks"), "rules": ["P10", "P11", "P12"],
          "previous": .text(record.header.previous.hex), "version": .number(record.version.number),
          "time": .text(record.note.time.description), "author": .optional(record.note.author),
          "message": .optional(record.note.message), "root": .text(record.root.description),
          "chain": .text(record.chain.hex), "cursor": .text(record.cursor.description),
        ]
      })
  }

  static func diffs() throws -> VectorFile {
    let cases: [(String, String, String)] = [
      ("both empty", "", ""), ("equal", "a b c", "a b c"), ("filled", "", "a b"),
      ("emptied", "a b", ""), ("replaced", "a b", "c d"), ("swap", "a b", "b a"),
      ("first to last", "a b c d", "b c d a"), ("last to first", "a b c d", "d a b c"),
      ("reversed", "a b c d e", "e d c b a"), ("blocks", "a b c d", "c d a b"),
      ("unequal blocks", "a b c d e", "c d e a b"),
      ("rotated halves", "a b c d e f", "d e f a b c"),
      ("interleaved", "a b c d e f", "a d b e c f"), ("equal chains", "a b c d", "b a d c"),
      ("three equal chains", "a b c d e f", "c f b e a d"), ("update", "a b c", "a b=1 c"),
      ("update of a moved item", "a b c", "b c a=1"),
      ("update of kept items", "a=1 b=1", "a=2 b=2"),
      ("equal contents by value", "a=1.0 b=1e2", "a=1 b=100"),
      ("all kinds", "a b c d e", "e=1 x a c=2 y"),
      ("lookalikes", "caf\u{E9} cafe\u{301}", "cafe\u{301} caf\u{E9}"),
    ]
    var random = SeededRandom(seed: 11)
    var vectors = try cases.map { name, old, new in
      diff(name, try items(words(old)), try items(words(new)))
    }
    for number in 1...18 {
      let old = try items((0..<random.number(1...14)).map { "i\($0)=0" })
      vectors.append(diff("random \(number)", old, try random.edited(old, edits: 6)))
    }
    for number in 1...6 {
      let old = try items((0..<random.number(5...24)).map { "i\($0)=0" })
      vectors.append(diff("shuffled \(number)", old, old.shuffled(using: &random)))
    }
    return VectorFile(
      name: "diffs",
      about: "Two lists and the one canonical change set from the old one to the new one.",
      vectors: vectors)
  }

  private static func diff(_ name: String, _ old: [Item], _ new: [Item]) -> VectorValue {
    let changes = Snapshot(uniqueItems: old).changes(to: Snapshot(uniqueItems: new))
    return [
      "name": .text(name), "rules": ["P13", "P15", "P16"], "old": .items(old), "new": .items(new),
      "changes": .changes(changes),
    ]
  }

  static func compositions() throws -> VectorFile {
    let cases: [(String, String, String, String)] = [
      ("an inserted item is removed", "a", "a b", "a"),
      ("a removed item returns", "a b", "a", "b a"),
      ("a removed item returns with another content", "a b", "a", "a b=1"),
      ("an update is undone", "a b", "a=1 b", "a b"),
      ("a move is undone", "a b c", "c a b", "a b c"),
      ("a kept item moves", "x a b", "a x b", "b a x"),
      ("moves add up", "a b c d", "b c d a", "c d a b"),
      ("emptied and filled", "a b c", "", "c b a"),
      ("updated twice", "a b", "b a=1", "a=2 b"),
    ]
    var random = SeededRandom(seed: 13)
    var vectors = try cases.map { name, a, b, c in
      composition(name, try items(words(a)), try items(words(b)), try items(words(c)))
    }
    for number in 1...10 {
      let a = try items((0..<random.number(1...10)).map { "i\($0)=0" })
      let b = try random.edited(a, edits: 5)
      vectors.append(composition("random \(number)", a, b, try random.edited(b, edits: 5)))
    }
    return VectorFile(
      name: "compositions",
      about: "Three lists and the change sets between them. 'ac' is the composition of 'ab' and "
        + "'bc', index for index.",
      vectors: vectors)
  }

  private static func composition(
    _ name: String, _ a: [Item], _ b: [Item], _ c: [Item]
  ) -> VectorValue {
    let (ab, bc) = (changes(a, b), changes(b, c))
    let ac = ab.composed(with: bc).namingMoves { a[$0].id }
    return [
      "name": .text(name), "rules": ["P13", "P16", "P17"], "a": .items(a), "b": .items(b),
      "c": .items(c), "ab": .changes(ab), "bc": .changes(bc), "ac": .changes(ac),
    ]
  }

  private static func changes(_ old: [Item], _ new: [Item]) -> ChangeSet<Item> {
    Snapshot(uniqueItems: old).changes(to: Snapshot(uniqueItems: new))
  }

  private static func words(_ text: String) -> [String] {
    text.split(separator: " ").map(String.init)
  }

  /// `a` or `a=1`: an id and a content, 0 without one.
  static func items(_ texts: [String]) throws -> [Item] {
    try texts.map { text in
      let parts = text.split(separator: "=")
      return Item(
        id: ItemID(String(parts[0])),
        content: try Content(json: parts.count > 1 ? String(parts[1]) : "0"))
    }
  }
}

extension SeededRandom {
  /// A list with some removed, moved, inserted and updated items.
  fileprivate mutating func edited(_ items: [Item], edits: Int) throws -> [Item] {
    var list = items
    for _ in 0..<number(1...edits) {
      let place = number(0...list.count)
      switch number(0...3) {
      case 0:
        let id = "n\(number(0...30))"
        if !list.contains(where: { $0.id.text == id }) {
          list.insert(
            Item(id: ItemID(id), content: try Content(json: "\(number(0...9))")), at: place)
        }
      case 1 where place < list.count: list.remove(at: place)
      case 2 where place < list.count:
        list[place] = Item(id: list[place].id, content: try Content(json: "\(number(0...9))"))
      case 3 where place < list.count:
        let item = list.remove(at: place)
        list.insert(item, at: number(0...list.count))
      default: break
      }
    }
    return list
  }
}

extension RootNode {
  /// The number of groups of level 1.
  fileprivate var groupCount: Int { level == 1 ? 1 : groups.reduce(0) { $0 + $1.groupCount } }
}
