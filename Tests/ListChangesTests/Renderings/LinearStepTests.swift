import ListChanges
import TestSupport
import Testing

@Suite struct LinearStepTests {
  /// The move counts that DeepDiff's own tests require.
  @Test(arguments: [
    ("abc", "cba", ["2→0", "0→2"]),
    ("12345", "15234", ["4→1", "1→2", "2→3", "3→4"]),
    ("1302", "0231", ["2→0", "3→1", "1→2", "0→3"]),
  ])
  func movesMatchTheExamplesOfDeepDiff(old: String, new: String, moves: [String]) throws {
    #expect(try steps(from: pairs(old), to: pairs(new)).map(text) == moves)
  }

  @Test func deletesPrecedeInsertsReplacesAndMovesInNewIndexOrder() throws {
    let old = pairs("123456")
    let new = [4, 7, 1, 6, 5, 8].map { Pair(id: $0, value: [1, 4].contains($0) ? 2 : 0) }
    #expect(
      try steps(from: old, to: new).map(text)
        == ["-1:2", "-2:3", "=0:4=2", "3→0", "+1:7", "=2:1=2", "0→2", "5→3", "4→4", "+5:8"])
  }

  @Test func allPairsOverFourIDsFollowTheRule() throws {
    let lists = allLists(over: 4)
    for old in lists { for new in lists { try check(old, new) } }
  }

  @Test func randomListsFollowTheRule() throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<1_000 {
      let limit = [3, 8, 40][round % 3]
      let old = random.list(limit: limit)
      let new = round % 2 == 0 ? random.edited(old, limit: limit) : random.list(limit: limit)
      try check(old, new, "seed \(random.seed), round \(round)")
    }
  }

  private func check(_ old: [Pair], _ new: [Pair], _ note: String = "") throws {
    let steps = try steps(from: old, to: new)
    func context() -> Comment { Comment(rawValue: "\(note) \(old) → \(new)") }
    #expect(steps.map(text) == linearStepsByDefinition(from: old, to: new), context())
    #expect(result(of: steps, on: old) == new, context())
  }

  private func steps(
    from old: [Pair], to new: [Pair]
  ) throws -> [ChangeSet<Pair>.LinearStep] {
    try old.changes(to: new).linearSteps()
  }

  private func pairs(_ digits: String) -> [Pair] {
    digits.unicodeScalars.map { Pair(id: Int($0.value) - 48, value: 0) }
  }
}

func text(_ step: ChangeSet<Pair>.LinearStep) -> String {
  switch step {
  case .delete(let from, let element): "-\(from):\(element)"
  case .insert(let to, let element): "+\(to):\(element)"
  case .replace(let to, _, let new): "=\(to):\(new)"
  case .move(let from, let to): "\(from)→\(to)"
  }
}

/// The rule, item by item from both lists.
func linearStepsByDefinition(from old: [Pair], to new: [Pair]) -> [String] {
  let isDeleted = old.map { item in !new.contains { $0.id == item.id } }
  let deletes = old.indices.filter { isDeleted[$0] }.map { "-\($0):\(old[$0])" }
  var inserted = 0
  let rest = new.enumerated().flatMap { to, item -> [String] in
    guard let from = old.firstIndex(where: { $0.id == item.id }) else {
      inserted += 1
      return ["+\(to):\(item)"]
    }
    let deleted = isDeleted[..<from].count { $0 }
    return (old[from] == item ? [] : ["=\(to):\(item)"])
      + (from - deleted + inserted == to ? [] : ["\(from)→\(to)"])
  }
  return deletes + rest
}

/// The list after the steps as one batch: items neither deleted nor moved keep their order in the
/// remaining places.
func result(of steps: [ChangeSet<Pair>.LinearStep], on old: [Pair]) -> [Pair] {
  var rest: [Pair?] = old
  var placed: [Int: Pair] = [:]
  var replaced: [Int: Pair] = [:]
  for step in steps {
    switch step {
    case .delete(let from, _): rest[from] = nil
    case .insert(let to, let element): placed[to] = element
    case .replace(let to, _, let new): replaced[to] = new
    case .move(let from, let to): (placed[to], rest[from]) = (old[from], nil)
    }
  }
  var kept = rest.compactMap(\.self).makeIterator()
  let count = rest.count { $0 != nil } + placed.count
  return (0..<count).compactMap { to in
    let item = placed[to] ?? kept.next()
    return replaced[to] ?? item
  }
}
