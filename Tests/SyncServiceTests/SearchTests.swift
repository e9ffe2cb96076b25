import Foundation
import ListModel
import StoreTestSupport
import TestSupport
import Testing

@testable import SyncService

struct SearchTests {
  private func committing(_ versions: [[String]]) async throws -> TestStore {
    let test = try TestStore()
    for texts in versions {
      _ = try await test.service.commit(.init(list: .parks, snapshot: try .of(texts)))
    }
    return test
  }

  /// `id from-to …` of each result.
  private func lines(
    _ test: TestStore, _ text: String, ignoresCase: Bool = false, everywhere: Bool = true
  ) async throws -> [String] {
    try await test.service.search(
      text, ignoresCase: ignoresCase, in: .parks, everywhere: everywhere
    ).map { result in
      let ranges = result.versions.map { "\($0.lowerBound)-\($0.upperBound)" }
      return ([result.id.text] + ranges).joined(separator: " ")
    }
  }

  @Test func everyVersionWithTheTextIsFound() async throws {
    let test = try await committing([
      ["a=7", "b"], ["a=7", "b=7"], ["b=17", "c"], ["a", "b", "c"], ["a=70", "c"],
    ])
    #expect(try await lines(test, "7") == ["a 1-2 5-5", "b 2-3"])
    #expect(try await lines(test, "7", everywhere: false) == ["a 5-5"])
    #expect(try await lines(test, "8").isEmpty)
  }

  @Test func idsAreSearchedToo() async throws {
    let test = try await committing([["Ab", "b"], ["b"]])
    #expect(try await lines(test, "b") == ["b 1-2", "Ab 1-1"])
    #expect(try await lines(test, "B").isEmpty)
    #expect(try await lines(test, "aB", ignoresCase: true) == ["Ab 1-1"])
  }

  @Test func resultNamesTheMemberThatHasTheText() async throws {
    let test = try TestStore()
    let content = try Content(json: #"{"id":"x","n":{"list":[1,"find me"]},"z":"find me"}"#)
    let item = Item(id: "x", content: content)
    _ = try await test.service.commit(.init(list: .parks, snapshot: try Snapshot([item])))
    let results = try await test.service.search("find", in: .parks)
    #expect(results.map { "\($0.member?.path.description ?? "")" } == ["/n/list/1"])
    // A member that repeats the id says nothing.
    #expect(try await test.service.search("x", in: .parks).map { $0.member == nil } == [true])
  }

  /// The look at a content's bytes never leaves out an item that has the text.
  @Test func bytesOfAContentWithATextHaveTheText() throws {
    var random = SeededRandom.forThisRun()
    let pieces = [
      "a", "K", "k", "\u{212A}", "\"", "\\", "\n", "é", "\u{130}", "1", "{", ",", "ß", "S",
    ]
    func text(_ count: ClosedRange<Int>) -> String {
      (0..<Int.random(in: count, using: &random)).map { _ in
        pieces.randomElement(using: &random) ?? ""
      }.joined()
    }
    var foundCount = 0
    for _ in 0..<20_000 {
      let (member, word) = (text(0...5), text(1...2))
      let json = try JSONSerialization.data(withJSONObject: ["m": [member, ["n": 41]]])
      let content = try Content(json: String(decoding: json, as: UTF8.self))
      for ignoresCase in [false, true] {
        let searched = SearchedText(word, ignoresCase: ignoresCase)
        let place = searched.place(in: ContentView(content), besides: "other")
        let whole = ignoresCase ? member.lowercased() : member
        let isThere = Array(whole.utf8).contains(
          Array((ignoresCase ? word.lowercased() : word).utf8))
        #expect((place?.path.description == "/m/0") == isThere, "seed \(random.seed): \(word)")
        if isThere {
          foundCount += 1
          #expect(searched.mayBeIn(content), "seed \(random.seed): \(word) in \(member)")
        }
      }
    }
    #expect(foundCount > 2000)
  }

  @Test func prunedVersionsAreNotSearched() async throws {
    let test = try await committing([["a=7"], ["a=7", "b"], ["b"], ["a=8"]])
    _ = try await test.service.prune(keepLast: 3)
    #expect(try await lines(test, "7") == ["a 2-2"])
  }

  @Test func searchOfAllVersionsEqualsASearchOfEachSnapshot() async throws {
    var random = SeededRandom.forThisRun()
    var history = TestHistory(try TestStore())
    for _ in 0..<30 {
      try await history.commitEdits(Int.random(in: 1...6, using: &random), &random)
    }
    for text in ["3", "i1", "9", "value"] {
      var expected: [String: [Int]] = [:]
      for (version, snapshot) in history.snapshots.enumerated() {
        for item in snapshot.items {
          let value = ContentView(item.content).member("value")?.scalarText ?? ""
          if item.id.text.contains(text) || value.contains(text) {
            expected[item.id.text, default: []].append(version)
          }
        }
      }
      let results = try await history.test.service.search(text, in: .parks, everywhere: true)
      let found = Dictionary(
        uniqueKeysWithValues: results.map { result in
          (result.id.text, result.versions.flatMap { $0.lowerBound.number...$0.upperBound.number })
        })
      #expect(found == expected, "\(text), seed \(random.seed)")
      for result in results {
        for (a, b) in zip(result.versions, result.versions.dropFirst()) {
          #expect(a.upperBound.next < b.lowerBound)
        }
      }
    }
  }
}
