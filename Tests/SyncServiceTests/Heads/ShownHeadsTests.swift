import ListModel
import StoreTestSupport
import TestSupport
import Testing

@testable import SyncService

@Suite struct ShownHeadsTests {
  private static func head(_ number: Int, oldest: Int) -> ListSummary {
    ListSummary(
      name: ListName("list\(number)")!, head: .zero, committedAt: nil, oldest: Version(oldest),
      idRule: nil)
  }

  @Test func readerFromAnyNumberGetsTheLastChangeOfEachListOnceAndInOrder() {
    var random = SeededRandom.forThisRun()
    for _ in 0..<40 {
      var shown = ShownHeads()
      var oldest: [Int: Int] = [:]
      var last: [(number: Int, list: Int)] = []
      var number = 0
      for _ in 0..<60 {
        for list in 0..<Int.random(in: 1...12, using: &random)
        where Int.random(in: 0..<3, using: &random) == 0 {
          oldest[list, default: 0] += 1
        }
        if Int.random(in: 0..<20, using: &random) == 0, let gone = oldest.keys.min() {
          oldest[gone] = nil
        }
        let heads = oldest.sorted { "list\($0.key)" < "list\($1.key)" }
          .map { Self.head($0.key, oldest: $0.value) }
        let before = Dictionary(uniqueKeysWithValues: shown.heads.map { ($0.name, $0) })
        let changed = heads.filter { before[$0.name] != $0 }.map(\.name)
        let gone = Set(before.keys).subtracting(heads.map(\.name))
        #expect(shown.show(heads) == changed + gone, "seed \(random.seed)")
        #expect(shown.heads == heads, "seed \(random.seed)")
        for name in changed {
          number += 1
          let list = Int(name.text.dropFirst(4))!
          last.removeAll { $0.list == list }
          last.append((number, list))
        }
        last.removeAll { oldest[$0.list] == nil }
        #expect(shown.lastNumber == number, "seed \(random.seed)")
        let start = Int.random(in: 0...number, using: &random)
        let isAsked = { (list: Int) in list % 3 != 1 }
        var (given, after): ([Int], Int) = ([], start)
        while let change = shown.next(
          after: after, where: { isAsked(Int($0.text.dropFirst(4))!) })
        {
          #expect(change.head == heads.first { $0.name == change.head.name })
          after = change.number
          given.append(change.number)
        }
        let expected = last.filter { $0.number > start && isAsked($0.list) }.map(\.number)
        #expect(given == expected, "seed \(random.seed)")
      }
    }
  }

  @Test func changeLogStaysBoundedAsChangesAccumulate() {
    var shown = ShownHeads()
    for number in 1...5000 {
      _ = shown.show((0..<10).map { Self.head($0, oldest: $0 == number % 10 ? number : 1) })
    }
    #expect(shown.historyCount <= 2 * 10 + 10)
    #expect(shown.lastNumber > 5000)
  }
}
