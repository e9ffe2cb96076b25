import ListChanges
import ListModel
import SQLiteStore
import StoreTestSupport
import SyncService
import Synchronization
import TestSupport
import Testing

/// Commits of whole lists, of which only the groups are read that the head does not have.
@Suite struct OutlineCommitTests {
  private static let count = 6_000

  private static func items(_ count: Int = count) throws -> [Item] {
    try Snapshot.of((0..<count).map { "i\($0)" }).items
  }

  /// A list after some edits, among them moves of long blocks, so that whole groups move.
  private static func edited(_ items: [Item], _ random: inout SeededRandom) throws -> [Item] {
    var items = items
    for _ in 0..<random.number(1...6) {
      let start = random.number(0...items.count - 1)
      let block = start..<min(items.count, start + random.size(upTo: 3_000))
      switch random.number(0...5) {
      case 0: items.removeSubrange(block)
      case 1:
        let moved = items[block]
        items.removeSubrange(block)
        items.insert(contentsOf: moved, at: random.number(0...items.count))
      case 2: items[block].reverse()
      case 3:
        let text = "\(items[start].id.text)=\(random.number(1...9))"
        items[start] = try Snapshot.of(text).items[0]
      default:
        let new = try Snapshot.of("new\(random.number(0...1 << 40))").items
        items.insert(contentsOf: new, at: start)
      }
      if items.isEmpty { items = try Snapshot.of("only").items }
    }
    return items
  }

  @Test func theStepIsThatOfTheTwoLists() async throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<6 {
      let test = try TestStore()
      var items = try Self.items(round % 3 == 0 ? 40 : Self.count)
      _ = try await test.service.commit(.init(list: .parks, snapshot: Snapshot(items)))
      for version in 1...4 {
        let (old, new) = (items, try Self.edited(items, &random))
        let outline = random.chance(2) ? .ofFile(with: new) : ListOutline(try Snapshot(new))
        let outcome = try await test.service.commit(.init(list: .parks, .whole(outline)))
        #expect(outcome.state.root == Root(of: try Snapshot(new)))
        guard case .committed = outcome else { continue }
        let found = try await test.service.delta(of: .parks, since: .head(back: 1))
        let direct = try Snapshot(old).changes(to: Snapshot(new))
        #expect(found.changes == direct, "round \(round), version \(version)")
        items = new
      }
      let report = try await test.service.verify(depth: .everything)
      #expect(report.faults.isEmpty, "round \(round)")
    }
  }

  @Test func aCommitReadsOnlyTheGroupsThatDiffer() async throws {
    func rowsRead(_ count: Int) async throws -> Int {
      let test = try TestStore()
      var items = try Self.items(count)
      _ = try await test.service.commit(.init(list: .parks, snapshot: Snapshot(items)))
      items[count / 2] = try Snapshot.of("\(items[count / 2].id.text)=1").items[0]
      let before = test.store.rowsReadCount
      _ = try await test.service.commit(.init(list: .parks, snapshot: Snapshot(items)))
      return test.store.rowsReadCount - before
    }
    let (short, long) = (try await rowsRead(2_000), try await rowsRead(20_000))
    // A group of 256 items at most, each with a row for its id and one for its content.
    #expect(short < 600 && long < 700, "\(short) and \(long)")
  }

  @Test func theFirstVersionIsStoredPieceByPiece() async throws {
    // None, one and several pieces, the last of which has any length.
    for count in [0, 1, 2, 300, 4_095, 20_001] {
      let test = try TestStore()
      let items = try Self.items(count)
      let outline = ListOutline.ofFile(with: items)
      let preview = try await test.service.preview(.init(list: .parks, .whole(outline)))
      #expect(preview.to.root == Root(of: try Snapshot(items)) && preview.to.count == count)
      let outcome = try await test.service.commit(.init(list: .parks, .whole(outline)))
      #expect(outcome.state.count == count && outcome.state.root == preview.to.root)
      let (state, snapshot) = try await test.service.snapshot(of: .parks)
      #expect(state == outcome.state)
      let isSame = snapshot.items == items
      #expect(isSame, "\(count) items")
      let report = try await test.service.verify(depth: .everything)
      #expect(report.faults.isEmpty, "\(count) items")
    }
  }

  @Test func thePiecesOfAFirstVersionAreReadOnceInTheirOrder() async throws {
    let test = try TestStore()
    let items = try Self.items(40_000)
    let asked = Mutex<[Range<Int>]>([])
    let whole = ListOutline.ofFile(with: items)
    let outline = ListOutline(tree: whole.tree) { ranges in
      asked.withLock { $0 += ranges }
      return ranges.flatMap { items[$0] }
    }
    _ = try await test.service.commit(.init(list: .parks, .whole(outline)))
    let ranges = asked.withLock { $0 }
    #expect(Array(ranges.joined()) == Array(items.indices))
    #expect(ranges.allSatisfy { $0.count < 8_000 }, "\(ranges)")
  }
}
