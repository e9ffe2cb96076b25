import ListChanges
import ListModel
import ParkLists
import TestSupport
import Testing

@Suite("Generated lists of parks")
struct ParkListTests {
  @Test func sameSeedAndEditsGiveTheSameList() {
    var lists = [ParkList(count: 500, seed: 9), ParkList(count: 500, seed: 9)]
    for index in lists.indices { lists[index].edit(.typical(changes: 50)) }
    #expect(lists[0].json == lists[1].json)
    #expect(lists[0].json != ParkList(count: 500, seed: 10).json)
  }

  @Test(arguments: [0, 300])
  func contentsAreCanonicalAndHoldTheIDOfTheirPark(descriptionByteCount: Int) throws {
    let list = ParkList(count: 300, seed: 1, descriptionByteCount: descriptionByteCount)
    for park in list.parks {
      let bytes = list.content(of: park)
      let content = try Content(json: String(decoding: bytes, as: UTF8.self))
      #expect(content.bytes == bytes)
      #expect(try JSONValue(parsing: bytes)["id"]?.text == park.id)
    }
  }

  @Test(arguments: [
    EditMix(updates: 7), EditMix(removals: 7), EditMix(insertions: 7),
    EditMix(updates: 5, moves: 4, removals: 3, insertions: 2), .typical(changes: 100),
  ])
  func editMakesTheChangesOfItsMixAndReturnsTheItemsItWrote(mix: EditMix) throws {
    var list = ParkList(count: 10_000, seed: 2)
    let old = try Self.items(list)
    let written = list.edit(mix)
    let changes = try old.changes(to: Self.items(list))
    #expect(changes.updated.count == mix.updates)
    #expect(changes.removed.count == mix.removals)
    #expect(changes.inserted.count == mix.insertions)
    #expect(changes.moved.count <= mix.moves)
    #expect(changes.moved.isEmpty == (mix.moves == 0))
    let ids = changes.updated.map(\.new.id) + changes.inserted.map(\.element.id)
    #expect(Set(ids) == Set(written.map { ItemID($0.id) }))
  }

  @Test func updateOfOneParkChangesOnlyItsContent() throws {
    var list = ParkList(count: 50, seed: 3)
    let old = try Self.items(list)
    list.update(number: 17)
    let changes = try old.changes(to: Self.items(list))
    #expect(changes.count == 1)
    #expect(changes.updated.map(\.new.id) == [ItemID("park-0000017")])
  }

  private static func items(_ list: ParkList) throws -> [Item] {
    try list.parks.map {
      let json = String(decoding: list.content(of: $0), as: UTF8.self)
      return Item(id: ItemID($0.id), content: try Content(json: json))
    }
  }
}
