import TestSupport
import Testing

@testable import ListChanges

@Suite struct KeyedTests {
  private struct Channel: Sendable {
    let code: String
    var title: String
    var viewers = 0
  }

  @Test func keyPathsNameIDsAndContents() throws {
    let old = [
      Channel(code: "a", title: "News"), Channel(code: "b", title: "Films"),
      Channel(code: "c", title: "Parks"),
    ]
    var new = [old[2], old[0], old[1]]
    new[1].title = "World News"
    // Not part of the compared content.
    new[2].viewers = 7
    let changes = try old.changes(to: new, id: \.code, content: \.title)
    #expect(changes.moved.map { [$0.from, $0.to] } == [[2, 0]])
    #expect(changes.updated.map(\.to) == [1])
    #expect(changes.updated.first?.new.content == "World News")
  }

  @Test func contentIsTheWholeElementUnlessAKeyPathNamesIt() throws {
    let (old, new) = (Pair.list("abc"), Pair.list("cab'"))
    let changes = try old.changes(to: new, id: \.id)
    #expect(try changes == old.changes(to: new, id: \.id, content: \.self))
    #expect(changes.updated.map(\.new.content) == [new[2]])
    #expect(changes == old.changes(to: new, id: \.id, ids: .trusted))
    #expect(try ["a", "b"].changes(to: ["b"], id: \.self).removed.map(\.from) == [0])
  }

  @Test func duplicateIDOfAKeyPathIsRefused() {
    let list = ["News", "Films", "News"].map { Channel(code: $0, title: $0) }
    #expect(throws: ListChangesError<String>.duplicateID("News", first: 0, second: 2, side: .old)) {
      try list.changes(to: [], id: \.code, content: \.title)
    }
  }

  @Test func repeatedIDsArePairedInOrderOfOccurrence() {
    let old = [0, 1, 2, 0].map { Pair(id: $0, value: 0) }
    let new = [0, 4, 0, 1, 2].map { Pair(id: $0, value: 0) }
    let changes = old.changesNumberingOccurrences(to: new)
    #expect(changes.inserted.map(\.to) == [1])
    #expect(changes.moved.map { [$0.from, $0.to] } == [[3, 2]])
    #expect(changes.removed.isEmpty && changes.updated.isEmpty)
  }

  @Test func numberedChangesLeadBetweenAnyTwoRandomLists() throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<500 {
      func list() -> [Pair] {
        (0..<Int.random(in: 0...9, using: &random)).map { _ in
          Pair(
            id: Int.random(in: 0...3, using: &random), value: Int.random(in: 0...1, using: &random))
        }
      }
      let (old, new) = (list(), list())
      let changes = old.changesNumberingOccurrences(to: new)
      let result = try old.numberingOccurrences().applying(changes)
      #expect(result.map(\.element) == new, "seed \(random.seed), round \(round)")
    }
  }
}
