import Foundation
import TestSupport
import Testing

@testable import ListChanges

/// 500 cases with change sets made by a program that shares no code with this one.
@Suite(
  .enabled(
    if: Shared.has("oracle/cases.jsonl"),
    "skipped: the oracle's cases.jsonl is not beside the checkout"))
struct OracleTests {
  @Test func everyCaseGivesItsExactChangeSets() throws {
    let lines = try Shared.data("oracle/cases.jsonl").split(separator: UInt8(ascii: "\n"))
    #expect(lines.count == 500)
    for line in lines {
      let oracle = try JSONDecoder().decode(Case.self, from: line)
      let (a, b, c) = (oracle.a.map(\.item), oracle.b.map(\.item), oracle.c.map(\.item))
      let (ab, bc) = try (a.changes(to: b), b.changes(to: c))
      #expect(Indexes(ab) == oracle.ab, "case \(oracle.case), a to b")
      #expect(Indexes(bc) == oracle.bc, "case \(oracle.case), b to c")
      #expect(try Indexes(a.changes(to: c)) == oracle.ac, "case \(oracle.case), a to c")
      #expect(
        Indexes(ab.composed(with: bc)) == oracle.ac, "case \(oracle.case), a to b to c composed")
    }
  }
}

private struct Case: Decodable {
  let `case`: Int
  let a, b, c: [Entry]
  let ab, bc, ac: Indexes
}

/// `[id, content]`.
private struct Entry: Decodable {
  struct Item: Identifiable, Equatable, Sendable {
    let id: String
    let content: Int
  }
  let item: Item

  init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    item = Item(id: try list.decode(String.self), content: try list.decode(Int.self))
  }
}

/// A change set in the oracle's format: arrays of numbers and ids.
private struct Indexes: Decodable, Equatable {
  enum Part: Decodable, Equatable {
    case index(Int)
    case id(String)

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      self = try (try? .index(value.decode(Int.self))) ?? .id(value.decode(String.self))
    }
  }

  let removed: [Int]
  let moved: [[Int]]
  let inserted: [[Part]]
  let updated: [[Part]]

  init(_ changes: ChangeSet<Entry.Item>) {
    removed = changes.removed.map(\.from)
    moved = changes.moved.map { [$0.from, $0.to] }
    inserted = changes.inserted.map { [.index($0.to), .id($0.element.id)] }
    updated = changes.updated.map { [.index($0.from), .index($0.to), .id($0.new.id)] }
  }
}
