import ListModel
import ListStore
import StoreTestSupport
import SyncService
import TestSupport

/// Random arguments of a command, chosen from the twin's contents: mostly existing ones, sometimes
/// missing ones.
struct ModelChoices {
  var random: SeededRandom
  let isLarge: Bool

  static let names = ["parks", "movies", "songs", "plays"].map { ListName($0)! }
  private static let tagNames = ["spring", "_v1", "Z.9"].map { TagName($0)! }

  init(_ seed: UInt64, isLarge: Bool) {
    random = SeededRandom(seed: seed)
    self.isLarge = isLarge
  }

  mutating func chance(_ count: Int) -> Bool { random.chance(count) }
  mutating func number(_ range: ClosedRange<Int>) -> Int { random.number(range) }
  mutating func element<Element>(of elements: [Element]) -> Element { random.element(of: elements) }

  mutating func listName() -> ListName {
    // The first list is the one that becomes long.
    isLarge || chance(2) ? Self.names[0] : element(of: Self.names)
  }

  mutating func tagName() -> TagName { element(of: Self.tagNames) }

  mutating func time(_ now: Timestamp) -> Timestamp {
    let hours = element(of: [-9_000, -720, -25, -1, 0, 0, 1, 30])
    return Timestamp(
      millisecondsSince1970: now.millisecondsSince1970 + Int64(hours) * 3_600_000
        + Int64(number(0...1)))
  }

  mutating func revision(of list: TwinList?, now: Timestamp) -> Revision {
    let list = list ?? TwinList(Self.names[0])
    let version = number(0...list.head)
    switch number(0...11) {
    case 0, 1: return .head
    case 2: return .head(back: number(0...list.head + 1))
    case 3, 4, 5: return .version(Version(version))
    case 6: return .version(Version(number(0...list.head + 2)))
    case 7: return .cursor(list.cursor(version))
    case 8:
      let future = Cursor("\(list.head + number(0...2))-0123456789ab00000000000000000000")
      return future.map { .cursor($0) } ?? .head
    case 9: return .tag(tagName())
    default:
      let time = list.records[version]?.note.time ?? self.time(now)
      let (day, start) = (Int64(86_400_000), time.millisecondsSince1970)
      if chance(3) {
        return .date(.day(Timestamp(millisecondsSince1970: start - (start % day + day) % day)))
      }
      return .date(.moment(Timestamp(millisecondsSince1970: start + Int64(number(-1...1)))))
    }
  }

  mutating func expectation(of list: TwinList?) -> [Revision] {
    let list = list ?? TwinList(Self.names[0])
    switch number(0...7) {
    case 0: return [.version(Version(list.head))]
    case 1: return [.cursor(list.headCursor)]
    case 2: return [.cursor(list.cursor(number(0...list.head)))]
    case 3: return [.version(Version(max(0, list.head - 1)))]
    default: return []
    }
  }

  mutating func author() -> String? { element(of: [nil, nil, "", "ada", "Zoë \u{1F3DE}"]) }

  /// A retention rule with at least one part.
  mutating func rule() -> RetentionRule {
    let count = chance(2) ? number(1...6) : nil
    let period = element(of: ["1h", "26h", "30d", "2w", "1y"])
    return RetentionRule(
      keepLast: count, keepWithin: count == nil || chance(3) ? RetentionPeriod(period) : nil,
      trustsDates: chance(2))!
  }

  // MARK: - Items

  mutating func item(_ id: ItemID) throws -> Item {
    let value = number(0...3)
    let text =
      switch number(0...4) {
      case 0: #"{"id":"x","value":\#(value)}"#
      case 1: #"{"id":"x","tags":["a",\#(value)],"at":{"deep":null}}"#
      case 2: "\"\(value)\""
      default: #"{"value":\#(value)}"#
      }
    return Item(id: id, content: try Content(json: text))
  }

  private mutating func newID() -> ItemID {
    // Mostly few ids, so that ids return. Composed and decomposed letters are different ids.
    chance(20)
      ? ItemID(element(of: ["\u{E9}", "e\u{301}", "", "a b", "\u{1}"]))
      : ItemID("i\(number(0...(isLarge ? 9_000 : 90)))")
  }

  /// The items of a list after some edits.
  mutating func items(after list: TwinList?) throws -> [Item] {
    let list = list ?? TwinList(Self.names[0])
    if list.head > 0, chance(8) { return list.snapshots[number(0...list.head)] }
    if chance(6) { return list.items }
    var items = list.items
    if items.isEmpty { items = try freshItems(isLarge ? number(900...2_600) : number(0...40)) }
    for _ in 0..<number(1...(isLarge ? 40 : 4)) { try edit(&items) }
    return items
  }

  private mutating func freshItems(_ count: Int) throws -> [Item] {
    var known: Set<ItemID> = []
    return try (0..<count).compactMap { _ in
      let id = newID()
      return known.insert(id).inserted ? try item(id) : nil
    }
  }

  private mutating func edit(_ items: inout [Item]) throws {
    let ends = [number(0...items.count), number(0...items.count)].sorted()
    let block = ends[0]..<ends[1]
    switch number(0...(isLarge ? 60 : 17)) {
    case 0: items.removeSubrange(block)
    case 1, 2, 3:
      let known = Set(items.map(\.id))
      let new = try freshItems(isLarge ? number(1...90) : number(1...5))
      items.insert(contentsOf: new.filter { !known.contains($0.id) }, at: block.lowerBound)
    case 4:
      let moved = items[block]
      items.removeSubrange(block)
      items.insert(contentsOf: moved, at: number(0...items.count))
    case 5: items[block].reverse()
    case 6: items = Array(items[block.lowerBound...] + items[..<block.lowerBound])
    case 7: items[block].shuffle(using: &random)
    case 8: for index in block { items[index] = try item(items[index].id) }
    case 9: if chance(4) { items = [] }
    case 10, 11: if !items.isEmpty { items.remove(at: number(0...items.count - 1)) }
    case 12, 13:
      guard !items.isEmpty else { return }
      let item = items.remove(at: number(0...items.count - 1))
      items.insert(item, at: number(0...items.count))
    default:
      guard !items.isEmpty else { return }
      let index = number(0...items.count - 1)
      items[index] = try item(items[index].id)
    }
  }

  /// Edits of single items, mostly of existing ones.
  mutating func edits(of list: TwinList?) throws -> [Edit] {
    let items = list?.items ?? []
    return try (0..<number(0...5)).map { _ in
      let id = id(in: items)
      if chance(4) { return .remove(id) }
      if chance(4), let place = place(in: items) { return .move(id, place) }
      return .put(try item(chance(3) ? newID() : id), place(in: items))
    }
  }

  private mutating func place(in items: [Item]) -> Edit.Place? {
    switch number(0...6) {
    case 0: .first
    case 1: .last
    case 2: .at(number(0...items.count))
    case 3: .at(chance(5) ? number(-1...items.count + 3) : 0)
    case 4: .before(id(in: items))
    case 5: .after(id(in: items))
    default: nil
    }
  }

  mutating func id(in items: [Item]) -> ItemID {
    items.isEmpty || chance(12) ? newID() : element(of: items).id
  }
}
