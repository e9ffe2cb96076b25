import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@Suite struct CompactionTests {
  @Test func packedListsAnswerAsPlainOnes() async throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<12 {
      let test = try TestStore()
      var items: [Item] = []
      for _ in 0..<8 {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          items = Self.next(items, &random)
          _ = try await test.service.commit(
            CommitRequest(list: .parks, snapshot: Snapshot(items)))
        }
        let before = try await StoreAnswers(of: test.service)
        _ = try await test.service.compact(.parks, isWhole: Bool.random(using: &random))
        #expect(try await StoreAnswers(of: test.service) == before, "seed \(random.seed)")
        #expect(try await test.rows("SELECT count(*) FROM changes") == [["0"]])
      }
    }
  }

  @Test func packedListsArePrunedAsPlainOnes() async throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<12 {
      let (plain, packed) = (try TestStore(), try TestStore())
      var items: [Item] = []
      for _ in 0..<6 {
        for _ in 0..<Int.random(in: 1...5, using: &random) {
          items = Self.next(items, &random)
          for test in [plain, packed] {
            _ = try await test.service.commit(
              CommitRequest(list: .parks, snapshot: Snapshot(items)))
          }
        }
        if Bool.random(using: &random) { _ = try await packed.service.compact(.parks) }
        if Bool.random(using: &random) {
          let count = Int.random(in: 1...6, using: &random)
          for test in [plain, packed] { try await test.service.prune(keepLast: count) }
        }
        let answers = try await StoreAnswers(of: packed.service)
        #expect(try await StoreAnswers(of: plain.service) == answers, "seed \(random.seed)")
        for depth in [VerificationDepth.changes, .everything] {
          let report = try await packed.service.verify(depth: depth)
          #expect(report.faults.isEmpty, "\(report.faults), seed \(random.seed)")
        }
      }
    }
  }

  private static func next(_ items: [Item], _ random: inout SeededRandom) -> [Item] {
    var items = items
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let place = Int.random(in: 0...items.count, using: &random)
      switch Int.random(in: 0...3, using: &random) {
      case 0 where place < items.count: items.remove(at: place)
      case 1 where place < items.count:
        let moved = items.remove(at: place)
        items.insert(moved, at: Int.random(in: 0...items.count, using: &random))
      case 2 where place < items.count:
        items[place] = item(items[place].id.text, &random)
      default:
        let id = "p\(Int.random(in: 0...30, using: &random))"
        if !items.contains(where: { $0.id.text == id }) {
          items.insert(item(id, &random), at: place)
        }
      }
    }
    return items
  }

  private static func item(_ id: String, _ random: inout SeededRandom) -> Item {
    let number = Int.random(in: 0...3, using: &random)
    let json = "{\"id\":\"\(id)\",\"n\":\(number),\"text\":\"some text of \(id) that stays\"}"
    return Item(id: ItemID(id), content: Content(canonicalBytes: Array(json.utf8)))
  }
}
