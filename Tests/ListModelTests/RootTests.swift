import Foundation
import TestSupport
import Testing

@testable import ListModel

/// The expected values were computed with Python's hashlib from the grammar in the doc comments.
struct RootTests {
  private static func item(_ id: ItemID, _ json: String) throws -> Item {
    Item(id: id, content: try Content(json: json))
  }

  private static func three() throws -> [Item] {
    try [item("zion", #"{"id":"zion"}"#), item("\u{E9}", "[1,2]"), item("", "null")]
  }

  @Test func emptyListHasTheRootOfAGroupWithoutElements() {
    #expect(Root(of: .empty) == .empty)
    #expect(
      Root.empty.description
        == "a536aa3cede6ea3c1f3e0357c3c60e0f216a8c89b853df13b29daa8f85065dfb")
  }

  @Test func threeItemsHaveTheRootOfTheGrammar() throws {
    #expect(
      try Root(of: Snapshot(Self.three())).description
        == "7e7c9a788096388b605964a5811e33737aa103b05dcd46eedf830f6c6a6fc3c3")
  }

  @Test func rootDependsOnTheOrderOfItems() throws {
    let items = try Self.three()
    #expect(
      try Root(of: Snapshot([items[1], items[0], items[2]])).description
        == "527ab03f2b179e4da592229fe6aa54b0137f9c8e64377acc83c1ed8e4b5578cb")
  }

  @Test func rootDependsOnTheBoundaryOfIDAndContent() throws {
    #expect(
      try Root(of: Snapshot([Self.item("a", "11")])) != Root(of: Snapshot([Self.item("a1", "1")])))
  }

  @Test func rootRoundTripsThroughItsText() throws {
    let root = try Root(of: Snapshot(Self.three()))
    #expect(Root(root.description) == root)
    #expect(Root(root.description.uppercased()) == root)
    #expect(Root(bytes: root.bytes) == root)
  }

  @Test(arguments: [
    "", "0", String(repeating: "0", count: 63), String(repeating: "0", count: 65),
    String(repeating: "0", count: 32), String(repeating: "0", count: 63) + "g",
    " " + String(repeating: "0", count: 63), String(repeating: "0", count: 62) + "é",
    // 16 full-width digits are 48 bytes; 32 of them have 64 digits in another script.
    String(repeating: "１", count: 64),
  ])
  func otherTextsAreRefused(text: String) {
    #expect(Root(text) == nil)
  }

  @Test func wrongNumbersOfBytesAreRefused() {
    #expect(Root(bytes: Array(repeating: 0, count: 31)) == nil)
    #expect(Root(bytes: Array(repeating: 0, count: 33)) == nil)
  }

  // MARK: An independent program's lists

  private struct History: Decodable {
    struct Version: Decodable {
      let version: Int
      let time: Int64
      let author: String?
      let message: String?
      let items: [[String]]
      let root: String
      let chain: String
      let cursor: String
    }

    let name: String
    let versions: [Version]
  }

  @Test(
    .enabled(
      if: Shared.has("oracle/roots.jsonl"),
      "SKIPPED: shared/oracle/roots.jsonl is not beside the checkout"))
  func listsOfAnotherProgramHaveItsRootsAndChains() throws {
    let lines = try Shared.data("oracle/roots.jsonl").split(separator: UInt8(ascii: "\n"))
    #expect(lines.count == 40)
    for line in lines {
      let history = try JSONDecoder().decode(History.self, from: line)
      var (chain, tree, before) = (Chain.zero, RootTree.empty, Snapshot.empty)
      for version in history.versions {
        let context = Comment(rawValue: "\(history.name), version \(version.version)")
        let items = try version.items.map { try Self.item(ItemID($0[0]), $0[1]) }
        let snapshot = try Snapshot(items)
        #expect(Root(of: snapshot).description == version.root, context)
        tree = tree.advanced(by: before.changes(to: snapshot))
        #expect(tree.root.description == version.root, context)
        let note = CommitNote(
          time: Timestamp(millisecondsSince1970: version.time), author: version.author,
          message: version.message)
        chain = chain.extended(to: Version(version.version), root: tree.root, note: note)
        #expect(chain.hex == version.chain, context)
        let cursor = Cursor(version: Version(version.version), chain: chain)
        #expect(cursor.description == version.cursor, context)
        before = snapshot
      }
    }
  }
}
