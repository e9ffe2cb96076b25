import ListModel
import ListStore
import StoreTestSupport
import TestSupport
import Testing

@testable import SyncService

@Suite struct HeadIndexTests {
  private static func head(_ number: Int, oldest: Int) -> ListSummary {
    ListSummary(
      name: ListName("list\(number)")!, head: .zero, committedAt: nil, oldest: Version(oldest),
      idRule: nil)
  }

  private static func key(_ number: Int) -> ListKey { ListKey(rawValue: Int64(number + 1)) }

  @Test func readerFromAnyNumberGetsTheLastChangeOfEachListOnceAndInOrder() {
    var random = SeededRandom.forThisRun()
    for _ in 0..<40 {
      var shown = HeadIndex()
      var oldest: [Int: Int] = [:]
      var departed: [String: Int] = [:]
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
        let before = Dictionary(uniqueKeysWithValues: shown.heads().map { ($0.name, $0) })
        let changed = heads.filter { before[$0.name] != $0 }.map(\.name)
        let gone = Set(before.keys).subtracting(heads.map(\.name))
        // All lists are read, or those that changed and some others.
        let isWhole = Bool.random(using: &random)
        let isAlsoRead = (0..<12).map { _ in Bool.random(using: &random) }
        let read = heads.filter { head in
          isWhole || changed.contains(head.name)
            || isAlsoRead[Int(head.name.text.dropFirst(4))!]
        }.map { (key: Self.key(Int($0.name.text.dropFirst(4))!), head: $0) }
        let asked = read.map(\.key) + gone.map { Self.key(Int($0.text.dropFirst(4))!) }
        let told = shown.show(read, asked: isWhole ? nil : asked)
        #expect(told == changed + gone, "seed \(random.seed)")
        #expect(shown.heads() == heads && shown.count == heads.count, "seed \(random.seed)")
        for name in gone {
          number += 1
          departed[name.text] = number
        }
        for name in changed {
          number += 1
          departed[name.text] = nil
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
        expect(shown, after: start, isAsked, last, departed)
      }
    }
  }

  /// A former fault: one list of a page, or one that a token may read, cost a walk over all names.
  @Test func pageOfNamesLooksAtFewOthers() {
    let names = (0..<30_000).map { ListName("list\(100_000 + $0)")! }
    let counted = CountedNames(names)
    func looks(_ range: NameRange, _ patterns: String...) -> Int {
      let before = counted.count.value
      let patterns = patterns.map { ListPattern($0)! }
      let found = counted.names(in: range, matching: patterns)
      let expected = names.filter { name in
        name.text.hasPrefix(range.prefix) && (range.after.map { $0 < name } ?? true)
          && patterns.contains { $0.matches(name) }
      }
      #expect(found == Array(expected.prefix(range.limit ?? .max)))
      return counted.count.value - before
    }
    let after = ListName("list110000")!
    for range in [
      NameRange(limit: 1), NameRange(after: after, limit: 1), NameRange(prefix: "list12", limit: 1),
      NameRange(prefix: "list12", after: after, limit: 2), NameRange(prefix: "x", limit: 1),
    ] {
      #expect(looks(range, "*") < 40)
      #expect(looks(range, "list129999") < 40)
      #expect(looks(range, "list10*", "list1200*", "list129998") < 80)
    }
    #expect(looks(NameRange(), "list100007", "list12345*", "list999999") < 100)
  }

  @Test func patternsOfATokenThatOthersIncludeAreLeftOut() {
    func readable(_ grants: AccessGrant...) -> [String] {
      let token = TokenRecord(
        name: TokenName("reader")!, secretHash: TokenSecret("x").hash, createdAt: TestStore.noon,
        grants: grants)
      return Caller(token: token).readable.map(\.text)
    }
    func read(_ text: String) -> AccessGrant { AccessGrant(.read, ListPattern(text)!) }
    #expect(Caller.anyone.readable.map(\.text) == ["*"])
    #expect(readable(read("b"), read("a")) == ["a", "b"])
    #expect(readable(read("a"), read("a-1*"), read("a*"), read("ab"), read("b")) == ["a*", "b"])
    #expect(readable(read("a"), AccessGrant(.write, ListPattern("a")!)) == ["a"])
    #expect(readable(read("x"), read("*"), read("a*")) == ["*"])
  }

  /// Names that count how often one is looked at.
  private struct CountedNames: RandomAccessCollection {
    final class Count { var value = 0 }

    let names: [ListName]
    let count = Count()

    init(_ names: [ListName]) { self.names = names }

    var startIndex: Int { 0 }
    var endIndex: Int { names.count }

    subscript(index: Int) -> ListName {
      count.value += 1
      return names[index]
    }
  }

  /// Compares all pages of changes after a number with the model.
  private func expect(
    _ shown: HeadIndex, after start: Int, _ isAsked: (Int) -> Bool,
    _ last: [(number: Int, list: Int)], _ departed: [String: Int]
  ) {
    for limit in [1, 2, 100] {
      var (lists, gone, number): ([String], Set<String>, Int) = ([], [], start)
      var hasMore = true
      while hasMore {
        let changes = shown.changes(after: number, limit: limit) {
          isAsked(Int($0.text.dropFirst(4))!)
        }
        #expect(changes.lists.count + changes.gone.count <= limit)
        lists += changes.lists.map(\.name.text)
        gone.formUnion(changes.gone.map(\.text))
        (number, hasMore) = (changes.last, changes.hasMore)
      }
      #expect(number == shown.lastNumber)
      #expect(
        lists == last.filter { $0.number > start && isAsked($0.list) }.map { "list\($0.list)" })
      let expected = departed.filter { $0.value > start && isAsked(Int($0.key.dropFirst(4))!) }
      // Who begins need not know the names that are gone.
      #expect(start > 0 ? gone == Set(expected.keys) : gone.isSubset(of: expected.keys))
    }
  }

  /// Within one reading, a name may go from a list to another, and back to one that was new.
  @Test func listsMayTradeTheirNames() {
    var shown = HeadIndex()
    func show(_ names: KeyValuePairs<Int, Int>, asked: [Int]?) -> Set<String> {
      let heads = names.map { (key: Self.key($0), head: Self.head($1, oldest: $0 + 1)) }
        .sorted { $0.head.name < $1.head.name }
      return Set(shown.show(heads, asked: asked?.map(Self.key)).map(\.text))
    }
    #expect(show([0: 0, 1: 1, 2: 2], asked: nil) == ["list0", "list1", "list2"])
    #expect(show([0: 1, 1: 0], asked: [0, 1]) == ["list0", "list1"])
    #expect(shown.heads().map(\.oldest.number) == [2, 1, 3])
    #expect(show([3: 0, 1: 5], asked: [0, 1, 3]) == ["list0", "list1", "list5"])
    #expect(shown.heads().map(\.name.text) == ["list0", "list2", "list5"])
    #expect(shown.heads().map(\.oldest.number) == [4, 3, 2])
    #expect(show([3: 0], asked: [0, 3]) == [])
    #expect(show([:], asked: [3, 2, 1]) == ["list0", "list2", "list5"])
    #expect(shown.heads() == [] && shown.change(of: ListName("list0")!) == nil)
  }

  @Test func headsAreSelectedAsInAStore() {
    var shown = HeadIndex()
    let numbers = Array(0..<120)
    let heads = numbers.map { (key: Self.key($0), head: Self.head($0, oldest: 1)) }
      .sorted { $0.head.name < $1.head.name }
    _ = shown.show(heads, asked: nil)
    let patterns = ["list1*", "list25", "list50", "list6*", "z"].compactMap { ListPattern($0) }
    for prefix in ["", "list1", "list11", "l", "x", "é"] {
      for after in [nil, "list1", "list10", "list5x", "a", "z"] {
        for limit in [nil, 1, 7] {
          let range = NameRange(
            prefix: prefix, after: after.flatMap(ListName.init), limit: limit)
          let found = shown.heads(range, matching: patterns).map(\.name)
          let expected = heads.map(\.head.name).filter { name in
            name.text.hasPrefix(prefix) && after ?? "" < name.text
              && patterns.contains { $0.matches(name) }
          }.prefix(limit ?? .max)
          #expect(found == Array(expected))
        }
      }
    }
  }

  @Test func changeLogStaysBoundedAsChangesAccumulate() {
    var shown = HeadIndex()
    for number in 1...5000 {
      let heads = (0..<10).map {
        (key: Self.key($0), head: Self.head($0, oldest: $0 == number % 10 ? number : 1))
      }
      _ = shown.show(heads, asked: nil)
    }
    #expect(shown.historyCount <= 2 * 10 + 10)
    #expect(shown.lastNumber > 5000)
  }
}
