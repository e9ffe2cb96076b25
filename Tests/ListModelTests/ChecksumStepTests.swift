import ListChanges
import TestSupport
import Testing

@testable import ListModel

@Suite struct ChecksumStepTests {
  private static func item(_ id: Int, _ value: Int) throws -> Item {
    Item(id: ItemID("item-\(id)"), content: try Content(json: "\(value)"))
  }

  /// A list and another one made from it by random edits.
  private static func pair(_ random: inout SeededRandom) throws -> (Snapshot, Snapshot) {
    let count = Int.random(in: 0...30, using: &random)
    let old = try (0..<count).map { try item($0, 0) }
    var new = old
    for edit in 0..<Int.random(in: 0...8, using: &random) {
      let place = Int.random(in: 0...new.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: new.insert(try item(100 + edit, 0), at: place)
      case 1 where place < new.count: new.remove(at: place)
      case 2 where place < new.count:
        new[place] = Item(id: new[place].id, content: try Content(json: "\(edit + 1)"))
      case 3 where place < new.count:
        let item = new.remove(at: place)
        new.insert(item, at: .random(in: 0...new.count, using: &random))
      default: continue
      }
    }
    return (try Snapshot(old), try Snapshot(new))
  }

  @Test func advancedChecksumEqualsTheChecksumFromScratch() throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<3000 {
      let (old, new) = try Self.pair(&random)
      let step = old.changes(to: new)
      #expect(
        Checksum(of: old).advanced(by: step) { old.items[$0] } == Checksum(of: new),
        "\(step), seed \(random.seed)")
      let back = new.changes(to: old)
      #expect(
        Checksum(of: new).advanced(by: back) { new.items[$0] } == Checksum(of: old),
        "\(back), seed \(random.seed)")
    }
  }

  @Test func advancedChecksumIsRightForEveryPairOfSmallLists() throws {
    let items = try (0..<4).map { try Self.item($0, 0) }
    var lists: [[Item]] = [[]]
    var longest = lists
    for _ in 0..<4 {
      longest = longest.flatMap { list in
        items.filter { !list.map(\.id).contains($0.id) }.map { list + [$0] }
      }
      lists += longest
    }
    for old in try lists.map({ try Snapshot($0) }) {
      for new in try lists.map({ try Snapshot($0) }) {
        let advanced = Checksum(of: old).advanced(by: old.changes(to: new)) { old.items[$0] }
        #expect(advanced == Checksum(of: new), "\(old.items.map(\.id)) to \(new.items.map(\.id))")
      }
    }
  }

  @Test func requestedItemsDependOnTheChangesAndNotTheLength() throws {
    var asked: [Int] = []
    for count in [100, 10_000] {
      let old = try Snapshot((0..<count).map { try Self.item($0, 0) })
      var items = old.items
      items[count / 2] = try Self.item(count / 2, 1)
      items.remove(at: count / 3)
      items.insert(items.remove(at: count / 4), at: count / 5)
      items.insert(try Self.item(count, 0), at: 7)
      let step = try old.changes(to: Snapshot(items))
      #expect(step.count == 4)
      var askedCount = 0
      _ = Checksum(of: old).advanced(by: step) { index in
        askedCount += 1
        return old.items[index]
      }
      asked.append(askedCount)
    }
    #expect(asked[0] == asked[1])
    // Two for each term, and about two terms for each edge of a change.
    #expect(asked[0] <= 4 * 12)
  }
}
