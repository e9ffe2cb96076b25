import ListChanges
import ListDocuments
import ListModel
import ListStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@Suite struct EditingTests {
  private static let ids = ["a", "b", "c", "d", "e"]

  private func item(_ text: String) throws -> Item { try Snapshot.of(text).items[0] }

  /// What a plain array becomes by the same edits; nil where one of them cannot be.
  private func plain(_ items: [Item], after edits: [Edit]) -> [Item]? {
    var items = items
    for edit in edits {
      switch edit {
      case .remove(let id):
        guard let index = items.firstIndex(where: { $0.id == id }) else { return nil }
        items.remove(at: index)
      case .put(let item, let place):
        let index = items.firstIndex { $0.id == item.id }
        if let index { items.remove(at: index) }
        let to: Int? =
          switch place {
          case nil: index ?? items.count
          case .first: 0
          case .last: items.count
          case .at(let at): (0...items.count).contains(at) ? at : nil
          case .before(let id): items.firstIndex { $0.id == id }
          case .after(let id): items.firstIndex { $0.id == id }.map { $0 + 1 }
          }
        guard let to else { return nil }
        items.insert(item, at: to)
      }
    }
    return items
  }

  private func randomEdit(_ random: inout SeededRandom) throws -> Edit {
    let id = Self.ids.randomElement(using: &random)!
    if Int.random(in: 0..<4, using: &random) == 0 { return .remove(ItemID(id)) }
    let anchor = ItemID(Self.ids.randomElement(using: &random)!)
    let places: [Edit.Place?] = [
      nil, .first, .last, .at(Int.random(in: 0...5, using: &random)), .before(anchor),
      .after(anchor),
    ]
    return .put(
      try item("\(id)=\(Int.random(in: 0...2, using: &random))"),
      places.randomElement(using: &random)!)
  }

  @Test func editsDoToAListWhatTheyDoToAnArray() async throws {
    var random = SeededRandom.forThisRun()
    let test = try TestStore()
    var items = try Snapshot.of("a", "b", "c").items
    _ = try await test.service.commit(.init(list: .parks, snapshot: try Snapshot(items)))
    var (done, refused) = (0, 0)
    for _ in 0..<300 {
      let edits = try (0..<Int.random(in: 1...4, using: &random)).map { _ in
        try randomEdit(&random)
      }
      let context = Comment(rawValue: "seed \(random.seed), \(edits)")
      if let expected = plain(items, after: edits) {
        let outcome = try await test.service.edit(.init(list: .parks, edits: edits))
        #expect((outcome == .unchanged(outcome.state)) == (expected == items), context)
        items = expected
        done += 1
      } else {
        await #expect(throws: ServiceError.self, context) {
          try await test.service.edit(.init(list: .parks, edits: edits))
        }
        refused += 1
      }
      #expect(try await test.service.snapshot(of: .parks).snapshot.items == items, context)
    }
    #expect(done > 50 && refused > 20)
    #expect(try await test.service.verify(depth: .everything).problems == [])
  }

  @Test func whatAnEditNamesAndTheListLacksIsTold() async throws {
    let test = try TestStore()
    _ = try await test.service.commit(.init(list: .parks, snapshot: try .of("a", "b")))
    let errors: [(Edit, ServiceError)] = [
      (.remove("x"), .noSuchItem("x", list: .parks)),
      (.put(try item("c"), .before("x")), .noSuchItem("x", list: .parks)),
      (.put(try item("a"), .after("a")), .noSuchItem("a", list: .parks)),
      (.put(try item("c"), .at(3)), .noSuchPlace(3, list: .parks, highest: 2)),
      (.put(try item("a"), .at(2)), .noSuchPlace(2, list: .parks, highest: 1)),
      (.put(try item("c"), .at(-1)), .noSuchPlace(-1, list: .parks, highest: 2)),
    ]
    for (edit, error) in errors {
      await #expect(throws: error) {
        try await test.service.edit(.init(list: .parks, edits: [edit]))
      }
    }
    #expect(try await test.service.log(of: .parks).count == 1)
  }

  @Test func aPreviewSaysWhatTheEditThenDoes() async throws {
    let test = try TestStore()
    _ = try await test.service.commit(.init(list: .parks, snapshot: try .of("a", "b", "c")))
    let request = EditRequest(
      list: .parks, edits: [.remove("b"), .put(try item("c=2"), .first)])
    let preview = try await test.service.preview(request)
    #expect(try await test.service.log(of: .parks).count == 1)
    guard case .committed(let record) = try await test.service.edit(request) else {
      Issue.record("nothing was committed")
      return
    }
    #expect(preview.to.checksum == record.checksum && preview.to.count == record.count)
    let delta = try await test.service.delta(of: .parks, since: .version(Version(1)))
    #expect(delta.changes == preview.changes)
  }

  @Test func anEditOfALongListReadsAFewPartsOfIt() async throws {
    func rowsRead(itemCount: Int) async throws -> Int {
      let test = try TestStore()
      let texts = (0..<itemCount).map { "i\($0)" }
      _ = try await test.service.commit(.init(list: .parks, snapshot: try .of(texts)))
      let before = test.store.rowsReadCount
      let edits: [Edit] = [
        .remove("i5"), .put(try item("i7=1"), nil), .put(try item("new"), .after("i500")),
        .put(try item("i9"), .last),
      ]
      _ = try await test.service.edit(.init(list: .parks, edits: edits))
      return test.store.rowsReadCount - before
    }
    let (short, long) = (try await rowsRead(itemCount: 1000), try await rowsRead(itemCount: 20_000))
    // One row of the order for each thousand items; none of the items but those around the edits.
    #expect(long <= short + 2 * 20, "\(short) and \(long) rows")
  }
}
