import ListChanges
import TestSupport
import Testing

/// Two lists for a rendering, and their source.
struct ListPair: CustomStringConvertible {
  let old: [Pair]
  let new: [Pair]
  var note = ""

  var description: String { "\(note)\(old) → \(new)" }

  func changes() throws -> ChangeSet<Pair> { try old.changes(to: new) }

  /// Every pair of lists over `count` ids with two contents, up to renaming of ids and contents: so
  /// an old list is `0, 1, 2 …` with content 0.
  static func all(over count: Int) -> [ListPair] {
    let news = allLists(over: count).flatMap { list in
      (0..<1 << list.count).map { bits in
        list.enumerated().map { Pair(id: $1.id, value: bits >> $0 & 1) }
      }
    }
    return (0...count).flatMap { length in
      news.map { ListPair(old: (0..<length).map { Pair(id: $0, value: 0) }, new: $0) }
    }
  }

  static func random(rounds: Int) -> [ListPair] {
    var random = SeededRandom.forThisRun()
    return (0..<rounds).map { round in
      let limit = [6, 12, 40, 100][round % 4]
      let old = random.list(limit: limit)
      let new = round % 3 == 0 ? random.list(limit: limit) : random.edited(old, limit: limit)
      return ListPair(old: old, new: new, note: "seed \(random.seed), round \(round): ")
    }
  }

  /// All small pairs, then random ones.
  static func smallAndRandom() -> [ListPair] { all(over: 4) + random(rounds: 800) }
}

extension Pair {
  /// A list of single letters: each letter is an id, its content 0, or 1 before a prime.
  static func list(_ text: String) -> [Pair] {
    var items: [Pair] = []
    for scalar in text.unicodeScalars {
      if scalar == "'", let last = items.popLast() {
        items.append(Pair(id: last.id, value: 1))
      } else {
        items.append(Pair(id: Int(scalar.value), value: 0))
      }
    }
    return items
  }
}

extension IndexMove {
  static func list(_ indexes: [[Int]]) -> [IndexMove] {
    indexes.map { IndexMove(from: $0[0], to: $0[1]) }
  }
}
