import ListChanges
import ListModel
import ListStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// Ids that differ only by Unicode normalisation, through the service and the store's SQL.
@Suite struct LookalikeTests {
  private func item(_ id: String, _ value: Int = 0) throws -> Item {
    try TestHistory.item(id, value)
  }

  private func commit(_ test: TestStore, _ items: [Item]) async throws {
    _ = try await test.service.commit(.init(list: .parks, snapshot: try Snapshot(items)))
  }

  @Test func lookalikeIDsAreTwoItemsThatAreRemovedAndInserted() async throws {
    for pair in Lookalikes.pairs {
      let (one, other) = (ItemID(pair[0]), ItemID(pair[1]))
      #expect(
        one.text == other.text && one != other, "the test needs texts that Swift takes for one")
      let test = try TestStore()
      try await commit(test, [item(pair[0]), item("x")])
      try await commit(test, [item("x"), item(pair[1])])
      try await commit(test, [item(pair[1]), item(pair[0], 1), item("x")])
      let first = try await test.service.delta(
        of: .parks, since: .version(Version(1)), to: .version(Version(2))
      ).changes
      #expect(first.removed.map(\.element.id) == [one])
      #expect(first.inserted.map(\.element.id) == [other])
      #expect(first.moved.isEmpty && first.updated.isEmpty)
      // The first one returns after its removal, so its change is an update.
      let whole = try await test.service.delta(
        of: .parks, since: .version(Version(1)), to: .version(Version(3))
      ).changes
      #expect(whole.inserted.map(\.element.id) == [other])
      #expect(whole.updated.map(\.new.id) == [one])
      let history = try await test.service.history(of: one, in: .parks)
      #expect(history.map(\.record.version.number) == [3, 2, 1])
      let otherHistory = try await test.service.history(of: other, in: .parks)
      #expect(otherHistory.map(\.record.version.number) == [2])
      #expect(try await test.service.verify(depth: .everything).faults == [])
    }
  }

  @Test func lookupNeverFindsALookalikeAndTheIndexHoldsBoth() async throws {
    for pair in Lookalikes.pairs {
      for (there, absent) in [(pair[0], pair[1]), (pair[1], pair[0])] {
        let test = try TestStore()
        try await commit(test, [item(there)])
        await #expect(throws: ServiceError.noSuchItem(ItemID(absent), list: .parks)) {
          try await test.service.history(of: ItemID(absent), in: .parks)
        }
        let error = ServiceError.itemAbsent(
          ItemID(absent), list: .parks, wasRemoved: false, edit: 0)
        await #expect(throws: error) {
          try await test.service.commit(
            CommitRequest(list: .parks, edits: [.remove(ItemID(absent))]))
        }
        // Inserted beside it, not over it.
        _ = try await test.service.commit(
          CommitRequest(
            list: .parks, edits: [.put(try item(absent), .before(ItemID(there)))]))
        let items = try await test.service.snapshot(of: .parks).snapshot.items
        #expect(items.map(\.id) == [ItemID(absent), ItemID(there)])
        let ids = try await test.store.read { try $0.loggedChanges(of: .parks).compactMap(\.id) }
        #expect(ids.map { Array($0.utf8) } == [there, absent].map { Array($0.utf8) })
      }
    }
  }

  @Test func itemIDsSortByTheirBytes() async throws {
    let ids = Lookalikes.pairs.flatMap { $0 }.map { ItemID($0) }
    let bytes = ids.sorted().map { Array($0.text.utf8) }
    #expect(bytes == bytes.sorted { $0.lexicographicallyPrecedes($1) })
    #expect(Set(ids).count == ids.count)
  }

  // A former fault: the remembered rule was compared as a Swift string, and kept.
  @Test func listRemembersTheLastIDRuleByteForByte() async throws {
    let test = try TestStore()
    for (number, name) in Lookalikes.pairs[0].enumerated() {
      var request = CommitRequest(list: .parks, snapshot: try .of("i\(number)"))
      request.idRule = "[\"\(name)\"]"
      request.allowsNewIDs = true
      _ = try await test.service.commit(request)
      let rule = try #require(try await test.service.idRule(of: .parks))
      #expect(Array(rule.utf8) == Array("[\"\(name)\"]".utf8))
    }
  }
}
