import ListChanges
import ListDocuments
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@Suite struct EditingTests {
  private static let ids = ["a", "b", "c", "d", "e"]

  private func item(_ text: String) throws -> Item { try Snapshot.of(text).items[0] }

  /// The same edits on a plain array; nil if one of them is invalid.
  private func plain(_ items: [Item], after edits: [Edit]) -> [Item]? {
    var items = items
    for edit in edits {
      let (id, place): (ItemID, Edit.Place?) =
        switch edit {
        case .remove(let id): (id, nil)
        case .put(let item, let place): (item.id, place)
        case .move(let id, let place): (id, place)
        }
      let index = items.firstIndex { $0.id == id }
      let old = index.map { items.remove(at: $0) }
      let to: Int? =
        switch place {
        case nil: index ?? items.count
        case .first: 0
        case .last: items.count
        case .at(let at): (0...items.count).contains(at) ? at : nil
        case .before(let id): items.firstIndex { $0.id == id }
        case .after(let id): items.firstIndex { $0.id == id }.map { $0 + 1 }
        }
      switch edit {
      case .remove: if old == nil { return nil }
      case .put(let item, _):
        guard let to else { return nil }
        items.insert(item, at: to)
      case .move:
        guard let to, let old else { return nil }
        items.insert(old, at: to)
      }
    }
    return items
  }

  private func randomEdit(
    _ random: inout SeededRandom, ids: [String] = Self.ids
  ) throws -> Edit {
    let id = ids.randomElement(using: &random)!
    if Int.random(in: 0..<4, using: &random) == 0 { return .remove(ItemID(id)) }
    let anchor = ItemID(ids.randomElement(using: &random)!)
    let places: [Edit.Place?] = [
      nil, .first, .last, .at(Int.random(in: 0...ids.count, using: &random)), .before(anchor),
      .after(anchor),
    ]
    let place = places.randomElement(using: &random)!
    if let place, Int.random(in: 0..<4, using: &random) == 0 { return .move(ItemID(id), place) }
    return .put(try item("\(id)=\(Int.random(in: 0...2, using: &random))"), place)
  }

  @Test func editsOfAListEqualEditsOfAnArray() async throws {
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
        let outcome = try await test.service.commit(.init(list: .parks, edits: edits))
        #expect((outcome == .unchanged(outcome.state)) == (expected == items), context)
        items = expected
        done += 1
      } else {
        await #expect(throws: ServiceError.self, context) {
          try await test.service.commit(.init(list: .parks, edits: edits))
        }
        refused += 1
      }
      #expect(try await test.service.snapshot(of: .parks).snapshot.items == items, context)
    }
    #expect(done > 50 && refused > 20)
    #expect(try await test.service.verify(depth: .everything).faults == [])
  }

  @Test func errorNamesTheMissingItemOfAnEdit() async throws {
    let test = try TestStore()
    _ = try await test.service.commit(.init(list: .parks, snapshot: try .of("a", "b")))
    func absent(_ id: ItemID) -> ServiceError {
      .itemAbsent(id, list: .parks, wasRemoved: false, edit: 0)
    }
    func beside(_ id: ItemID) -> ServiceError { .besideItself(id, list: .parks, edit: 0) }
    func noSuchPlace(_ index: Int, highest: Int) -> ServiceError {
      .noSuchPlace(index, list: .parks, highest: highest, edit: 0)
    }
    let errors: [(Edit, ServiceError)] = [
      (.remove("x"), absent("x")), (.put(try item("c"), .before("x")), absent("x")),
      (.put(try item("a"), .after("a")), beside("a")),
      (.put(try item("a"), .before("a")), beside("a")),
      // Neither item is there: the place is wrong, whatever the list holds.
      (.put(try item("x"), .before("x")), beside("x")), (.move("x", .after("x")), beside("x")),
      (.put(try item("c"), .at(3)), noSuchPlace(3, highest: 2)),
      (.put(try item("a"), .at(2)), noSuchPlace(2, highest: 1)),
      (.put(try item("c"), .at(-1)), noSuchPlace(-1, highest: 2)),
      (.move("x", .first), absent("x")),
      (.move("a", .before("x")), absent("x")), (.move("a", .before("a")), beside("a")),
      (.move("a", .at(2)), noSuchPlace(2, highest: 1)),
    ]
    for (edit, error) in errors {
      await #expect(throws: error) {
        try await test.service.commit(.init(list: .parks, edits: [edit]))
      }
    }
    await #expect(throws: ServiceError.itemAbsent("a", list: .parks, wasRemoved: true, edit: 1)) {
      try await test.service.commit(.init(list: .parks, edits: [.remove("a"), .remove("a")]))
    }
    #expect(try await test.service.log(of: .parks).count == 1)
  }

  @Test func manyEditsAtOnceGiveTheSameListAsSingleEdits() async throws {
    var random = SeededRandom.forThisRun()
    let ids = (0..<40).map { "i\($0)" }
    for _ in 0..<6 {
      let (atOnce, oneByOne) = (try TestStore(), try TestStore())
      var items = try Snapshot.of(Array(ids.prefix(30))).items
      for test in [atOnce, oneByOne] {
        _ = try await test.service.commit(.init(list: .parks, snapshot: try Snapshot(items)))
      }
      var edits: [Edit] = []
      while edits.count < 60 {
        let edit = try randomEdit(&random, ids: ids)
        guard let after = plain(items, after: [edit]) else { continue }
        items = after
        edits.append(edit)
      }
      _ = try await atOnce.service.commit(.init(list: .parks, edits: edits))
      for edit in edits {
        _ = try await oneByOne.service.commit(.init(list: .parks, edits: [edit]))
      }
      let once = try await atOnce.service.delta(of: .parks, since: .version(Version(1)))
      let many = try await oneByOne.service.delta(of: .parks, since: .version(Version(1)))
      let note = Comment(rawValue: "seed \(random.seed), \(edits)")
      #expect(once.changes == many.changes && once.to.root == many.to.root, note)
      #expect(try await atOnce.service.snapshot(of: .parks).snapshot.items == items, note)
      #expect(try await atOnce.service.verify(depth: .everything).faults == [], note)
    }
  }

  @Test func previewEqualsTheCommittedEdit() async throws {
    let test = try TestStore()
    _ = try await test.service.commit(.init(list: .parks, snapshot: try .of("a", "b", "c")))
    let request = CommitRequest(
      list: .parks, edits: [.remove("b"), .put(try item("c=2"), .first)])
    let preview = try await test.service.preview(request)
    #expect(try await test.service.log(of: .parks).count == 1)
    guard case .committed(let record) = try await test.service.commit(request) else {
      Issue.record("nothing was committed")
      return
    }
    #expect(preview.to.root == record.root && preview.to.count == record.count)
    let delta = try await test.service.delta(of: .parks, since: .version(Version(1)))
    #expect(delta.changes == preview.changes)
  }

  @Test func editOfALongListReadsAFewParts() async throws {
    func rowsRead(itemCount: Int) async throws -> Int {
      let test = try TestStore()
      let texts = (0..<itemCount).map { "i\($0)" }
      _ = try await test.service.commit(.init(list: .parks, snapshot: try .of(texts)))
      let before = test.store.rowsReadCount
      let edits: [Edit] = [
        .remove("i5"), .put(try item("i7=1"), nil), .put(try item("new"), .after("i500")),
        .put(try item("i9"), .last), .move("i11", .after("i600")),
      ]
      _ = try await test.service.commit(.init(list: .parks, edits: edits))
      return test.store.rowsReadCount - before
    }
    let (short, long) = (try await rowsRead(itemCount: 1000), try await rowsRead(itemCount: 20_000))
    // One row of the order for each thousand items; no items except those around the edits.
    #expect(long <= short + 2 * 20, "\(short) and \(long) rows")
  }

  /// All edits are one change set, and each item is looked up once. A former fault: 20,000 edits of
  /// 200,000 items took three minutes, and blocked all other writers.
  @Test func oneItemIsReadWithoutTheList() async throws {
    let test = try TestStore()
    let ids = (0..<8000).map { "i\($0)" }
    _ = try await test.service.commit(.init(list: .parks, snapshot: try .of(ids)))
    let before = test.store.rowsReadCount
    let found = try await test.service.item("i5000", of: .parks)
    #expect(found.item == (try item("i5000")))
    #expect(test.store.rowsReadCount - before < 50)
    let error = ServiceError.itemAbsent("x", list: .parks, wasRemoved: false, edit: nil)
    await #expect(throws: error) { try await test.service.item("x", of: .parks) }
  }

  @Test func itemAtAVersionIsReadWithoutTheOtherContents() async throws {
    let test = try TestStore()
    let ids = (0..<8000).map { "i\($0)" }
    let first = try await test.service.commit(.init(list: .parks, snapshot: try .of(ids)))
    _ = try await test.service.commit(.init(list: .parks, edits: [.remove("i5000")]))
    let before = test.store.rowsReadCount
    let found = try await test.service.item("i5000", of: .parks, at: .version(Version(1)))
    #expect(found.item == (try item("i5000")) && found.state == first.state)
    #expect(test.store.rowsReadCount - before < 50)
    let error = ServiceError.itemAbsent("i5000", list: .parks, wasRemoved: false, edit: nil)
    for revision in [Revision.head, .version(.zero)] {
      await #expect(throws: error) {
        try await test.service.item("i5000", of: .parks, at: revision)
      }
    }
  }

  @Test func rowsReadGrowLinearlyWithTheEdits() async throws {
    func rowsRead(editCount: Int) async throws -> Int {
      let test = try TestStore()
      let ids = (0..<8000).map { "i\($0)" }
      _ = try await test.service.commit(.init(list: .parks, snapshot: try .of(ids)))
      let before = test.store.rowsReadCount
      let edits = try (0..<editCount).map { number in
        let id = ids[number * 7919 % ids.count]
        switch number % 5 {
        case 0: return Edit.remove(ItemID(id))
        case 1: return .put(try item("\(id)=1"), .first)
        case 3: return .move(ItemID(id), .last)
        case 2: return .put(try item("new\(number)"), .after(ItemID(id)))
        default: return .put(try item("\(id)=1"), nil)
        }
      }
      _ = try await test.service.commit(.init(list: .parks, edits: edits))
      return test.store.rowsReadCount - before
    }
    let (few, many) = (try await rowsRead(editCount: 500), try await rowsRead(editCount: 2000))
    // A row near the one before is reached by steps, over 6 rows at most. Each item is read to
    // compare its id, and again with its content.
    #expect(few <= 500 * 24 && many <= 2000 * 24, "\(few) and \(many) rows")
  }
}
