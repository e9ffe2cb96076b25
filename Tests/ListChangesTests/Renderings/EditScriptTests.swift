import ListChanges
import TestSupport
import Testing

@Suite struct EditScriptTests {
  @Test(arguments: [
    ("kit", "kat", "1:1 i=a"),
    ("", "kat", "+0k +1a +2t"),
    ("kit", "", "-0k -1i -2t"),
    ("kit", "kit", ""),
    ("", "", ""),
    ("kit", "kitten", "+3t +4e +5n"),
    ("kitten", "sitting", "0:0 k=s 4:4 e=i +6g"),
    ("sunday", "saturday", "+1a +2t 2:4 n=r"),
    ("aaa", "aa", "-2a"),
    ("abcd", "bcde", "-0a +3e"),
  ])
  func editScriptMatchesTheExamples(old: String, new: String, steps: String) throws {
    let script = old.editScript(to: new)
    #expect(script.steps.map(text).joined(separator: " ") == steps)
    #expect(script.count == script.steps.count)
    #expect(script.isEmpty == (old == new))
    #expect((script.oldCount, script.newCount) == (old.count, new.count))
    #expect(try old.applying(script) == Array(new))
  }

  @Test func scriptsOfAllShortWordsMatchTheDefinition() throws {
    let words = allWords(over: "abc", upTo: 4)
    #expect(words.count == 121)
    for old in words { for new in words { try check(old, new) } }
  }

  @Test func scriptsOfRandomListsMatchTheDefinition() throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<600 {
      let letters = Array("abcdefghijklmnopqrstuvwxyz".prefix([2, 5, 26][round % 3]))
      let old = random.word(of: letters, upTo: 40)
      let new = round % 2 == 0 ? random.word(of: letters, upTo: 40) : random.edited(old, letters)
      try check(old, new, "seed \(random.seed), round \(round)")
    }
  }

  /// A few edits cost a few diagonals, not the whole table of 4,000,000 cells.
  @Test func theNumberOfComparisonsGrowsWithTheScript() {
    let counter = Counter()
    let old = (0..<2_000).map { Counted(value: $0, counter: counter) }
    var new = old
    new.remove(at: 100)
    new.insert(Counted(value: -1, counter: counter), at: 1_800)
    new[1_000] = Counted(value: -2, counter: counter)
    let script = old.editScript(to: new)
    #expect(script.count == 3)
    // Limits 1, 2 and 4 fill bands of 1, 3 and 5 cells a row; trimming is one comparison a pair.
    #expect(counter.count <= 2_000 + 1_700 * 9 + 100, "\(counter.count)")
  }

  @Test func applyingToADifferentListIsRefused() throws {
    let script = "kit".editScript(to: "kat")
    #expect(throws: EditScriptError.countMismatch(expected: 3, found: 4)) {
      try "kitt".applying(script)
    }
    #expect(throws: EditScriptError.elementMismatch(index: 1)) { try "kot".applying(script) }
    #expect(throws: EditScriptError.elementMismatch(index: 0)) {
      try "x".applying("y".editScript(to: ""))
    }
  }

  private func check(_ old: [Character], _ new: [Character], _ note: String = "") throws {
    let script = old.editScript(to: new)
    func context() -> Comment { Comment(rawValue: "\(note) \(String(old)) → \(String(new))") }
    #expect(script.steps.map(text) == stepsByDefinition(from: old, to: new), context())
    #expect(try old.applying(script) == new, context())
  }
}

private func text(_ step: EditScript<Character>.Step) -> String {
  switch step {
  case .delete(let from, let element): "-\(from)\(element)"
  case .insert(let to, let element): "+\(to)\(element)"
  case .substitute(let from, let to, let old, let new): "\(from):\(to) \(old)=\(new)"
  }
}

/// The script by the documentation's definition, from the complete table of distances.
private func stepsByDefinition(from old: [Character], to new: [Character]) -> [String] {
  let start = zip(old, new).prefix { $0 == $1 }.count
  let tail = zip(old.dropFirst(start).reversed(), new.dropFirst(start).reversed())
    .prefix { $0 == $1 }.count
  var (i, j) = (old.count - tail, new.count - tail)
  var table: [[Int]] = []
  for i in 0...i {
    table.append([])
    for j in 0...j {
      if i <= start || j <= start {
        table[i].append(max(i, j) - start)
      } else {
        let change = old[i - 1] == new[j - 1] ? 0 : 1
        table[i].append(
          min(table[i - 1][j - 1] + change, table[i - 1][j] + 1, table[i][j - 1] + 1))
      }
    }
  }
  var steps: [String] = []
  while i > start || j > start {
    if i > start, j > start, old[i - 1] == new[j - 1], table[i][j] == table[i - 1][j - 1] {
      (i, j) = (i - 1, j - 1)
    } else if i > start, j > start, table[i][j] == table[i - 1][j - 1] + 1 {
      (i, j) = (i - 1, j - 1)
      steps.append("\(i):\(j) \(old[i])=\(new[j])")
    } else if i > start, table[i][j] == table[i - 1][j] + 1 {
      i -= 1
      steps.append("-\(i)\(old[i])")
    } else {
      j -= 1
      steps.append("+\(j)\(new[j])")
    }
  }
  return steps.reversed()
}

private func allWords(over letters: String, upTo length: Int) -> [[Character]] {
  var words: [[Character]] = [[]]
  var longest = words
  for _ in 0..<length {
    longest = longest.flatMap { word in letters.map { word + [$0] } }
    words += longest
  }
  return words
}

extension SeededRandom {
  fileprivate mutating func word(of letters: [Character], upTo length: Int) -> [Character] {
    (0..<Int.random(in: 0...length, using: &self)).map { _ in
      letters[Int.random(in: letters.indices, using: &self)]
    }
  }

  fileprivate mutating func edited(
    _ word: [Character], _ letters: [Character]
  ) -> [Character] {
    var result = word
    for _ in 0..<Int.random(in: 0...3, using: &self) {
      let start = Int.random(in: 0...result.count, using: &self)
      let end = min(result.count, start + Int.random(in: 0...3, using: &self))
      result.replaceSubrange(start..<end, with: self.word(of: letters, upTo: 3))
    }
    return result
  }
}

private final class Counter { var count = 0 }

private struct Counted: Equatable {
  let value: Int
  let counter: Counter

  static func == (a: Self, b: Self) -> Bool {
    a.counter.count += 1
    return a.value == b.value
  }
}
