import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@Suite struct RevertTests {
  private func history(_ test: TestStore) async throws -> [Snapshot] {
    let snapshots = try [
      Snapshot.of("a", "b", "c"), .of("c", "a=1", "d"), .of("e", "c=2", "d"), .of(),
      .of("d", "x", "a", "b=7"),
    ]
    for snapshot in snapshots {
      _ = try await test.service.commit(.init(list: .parks, snapshot: snapshot))
    }
    return [.empty] + snapshots
  }

  @Test(arguments: 0...5) func revertMakesAVersionThatEqualsTheOldOne(old: Int) async throws {
    let test = try TestStore()
    let snapshots = try await history(test)
    let revision = Revision.version(Version(old))
    let request = CommitRequest(list: .parks, revertTo: revision)
    let preview = try await test.service.preview(request)
    let outcome = try await test.service.commit(request)
    let (state, snapshot) = try await test.service.snapshot(of: .parks)
    #expect(snapshot == snapshots[old])
    #expect(state == outcome.state)
    #expect(preview.changes == snapshots[5].changes(to: snapshots[old]))
    if case .committed(let record) = outcome {
      #expect(old < 5 && record.version == Version(6))
      #expect(record.note.message == "Revert to version \(old)")
      #expect(record.root == Root(of: snapshots[old]))
    } else {
      #expect(old == 5)
    }
    #expect(try await test.service.commit(request) == .unchanged(state))
    #expect(try await test.service.verify(depth: .everything).faults == [])
  }

  @Test func relativeRevisionIsTakenAtTheHeadBeforeTheRevert() async throws {
    let test = try TestStore()
    let snapshots = try await history(test)
    var request = CommitRequest(list: .parks, revertTo: .head(back: 3))
    request.message = "Why"
    guard case .committed(let record) = try await test.service.commit(request) else {
      Issue.record("no version was made")
      return
    }
    #expect(record.note.message == "Why")
    #expect(try await test.service.snapshot(of: .parks).snapshot == snapshots[2])
  }

  @Test func repeatedRevertWhoseAnswerWasLostMakesNoVersion() async throws {
    let test = try TestStore()
    _ = try await history(test)
    var request = CommitRequest(list: .parks, revertTo: .version(Version(2)))
    request.expected = [.version(Version(5))]
    guard case .committed(let made) = try await test.service.commit(request) else {
      Issue.record("no version was made")
      return
    }
    #expect(try await test.service.commit(request) == .found(made, isOwn: true))
    request.expected = [.version(Version(4))]
    await #expect(throws: ServiceError.self) { try await test.service.commit(request) }
  }

  @Test func versionThatThereIsNotMakesNoRevert() async throws {
    let test = try TestStore()
    _ = try await history(test)
    let films = ListName("films")!
    await #expect(throws: ServiceError.noSuchList(films)) {
      try await test.service.commit(.init(list: films, revertTo: .head))
    }
    await #expect(
      throws: ServiceError.noSuchVersion("9", list: .parks, oldest: Version(1), head: Version(5))
    ) {
      try await test.service.commit(.init(list: .parks, revertTo: .version(Version(9))))
    }
    try await test.service.prune(keepLast: 2)
    let tooOld = ServiceError.tooOld("2", list: .parks, oldest: Version(4), head: Version(5))
    await #expect(throws: tooOld) {
      try await test.service.commit(.init(list: .parks, revertTo: .version(Version(2))))
    }
    // The oldest version is there, and so is the empty list.
    for old in [4, 0] {
      _ = try await test.service.commit(.init(list: .parks, revertTo: .version(Version(old))))
      #expect(try await test.service.snapshot(of: .parks).snapshot == .empty)
    }
    #expect(try await test.service.verify(depth: .everything).faults == [])
  }

  @Test func rowsReadGrowWithTheChangesAndNotWithTheList() async throws {
    func rowsRead(_ itemCount: Int) async throws -> Int {
      let test = try TestStore()
      let ids = (0..<itemCount).map { "i\($0)" }
      _ = try await test.service.commit(.init(list: .parks, snapshot: try .of(ids)))
      for number in 1...3 {
        let item = try Snapshot.of("i\(number * 50)=1").items[0]
        _ = try await test.service.commit(
          .init(list: .parks, edits: [.put(item, .first), .remove(ItemID("i\(number * 7)"))]))
      }
      let before = test.store.rowsReadCount
      _ = try await test.service.commit(.init(list: .parks, revertTo: .version(Version(1))))
      return test.store.rowsReadCount - before
    }
    let (short, long) = (try await rowsRead(1000), try await rowsRead(8000))
    // The list of the parts of the head has a row for 500 items.
    #expect(long <= short + 8000 / 250, "\(short) and \(long) rows")
    #expect(long < 400)
  }
}
