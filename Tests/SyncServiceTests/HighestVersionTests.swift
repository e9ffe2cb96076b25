import Foundation
import ListChanges
import ListModel
import ListStore
import StoreTestSupport
import SyncService
import Testing

/// A list whose oldest version has the highest possible number. It accepts a bundle made for that,
/// and no other call may fail because of it.
@Suite struct HighestVersionTests {
  private func base(_ version: Version) throws -> TestRange {
    let item = try Snapshot.of("a").items[0]
    let record = VersionRecord(
      version: version, note: CommitNote(time: TestStore.noon), count: 1,
      changes: ChangeCounts(removed: 0, moved: 0, inserted: 1, updated: 0),
      root: Root(of: try .of("a")), previous: .zero)
    return TestRange(
      range: BundleHeader(
        list: .parks, idRule: nil, start: .base(record), target: record.state),
      parts: [.item(item)])
  }

  @Test func listAtTheHighestVersionIsReadableButRefusesCommits() async throws {
    let test = try TestStore()
    let films = ListName("films")!
    _ = try await test.service.commit(.init(list: films, snapshot: .of("x")))
    try await test.apply(base(.highest))
    _ = try await test.service.commit(.init(list: ListName("zebras")!, snapshot: .of("z")))
    let requests: [() async throws -> Void] = [
      { _ = try await test.service.commit(.init(list: .parks, snapshot: .of("a", "b"))) },
      { _ = try await test.service.commit(.init(list: .parks, edits: [.remove("a")])) },
    ]
    for request in requests {
      await #expect(throws: StoreError.listFull) { try await request() }
    }
    let unchanged = try await test.service.commit(.init(list: .parks, snapshot: .of("a")))
    #expect(unchanged == .unchanged(unchanged.state))

    #expect(try await test.service.lists().map(\.name.text) == ["films", "parks", "zebras"])
    #expect(try await test.service.verify(depth: .everything).faults == [])
    #expect(try await test.service.log(of: .parks).map(\.version) == [.highest])
    #expect(try await test.service.snapshot(of: .parks).snapshot == .of("a"))
    let path = test.path + ".copy"
    #expect(try await Backup(of: test.store, to: path).run().verification.faults == [])
    #expect(try await test.export().range.target.version == .highest)
    // From version 0 the path has two versions, not four thousand million.
    var steps: [Delta] = []
    try await test.service.replay(.parks, from: .version(.zero), to: .head) { steps.append($0) }
    #expect(steps.map { $0.to.cursor?.version } == [.highest])
    try await test.service.replay(.parks, from: .head, to: .version(.zero)) { steps.append($0) }
    #expect(steps.map { $0.to.cursor?.version } == [.highest, .zero])
  }

  @Test func versionAboveTheHighestVersionIsRefused() async throws {
    for number in [Version.highest.number + 1, 1 << 32, 1 << 33, Int.max - 1] {
      let test = try TestStore()
      _ = try await test.service.commit(.init(list: ListName("films")!, snapshot: .of("x")))
      let error = await #expect(throws: ServiceError.self) {
        try await test.apply(base(Version(number)))
      }
      guard case .brokenBundle(.parks, Version(number), _) = error else {
        Issue.record("\(number): \(String(describing: error))")
        continue
      }
      #expect(try await test.service.lists().map(\.name.text) == ["films"])
      #expect(try await test.service.verify().faults == [])
    }
  }

  @Test func stepsEndAtTheHighestVersion() async throws {
    let source = try TestStore()
    try await source.apply(base(Version(Version.highest.number - 1)))
    try await source.commit(["a", "b"])
    let copy = try TestStore()
    try await copy.apply(source.export())
    #expect(try await copy.service.log(of: .parks).first?.version == .highest)
    #expect(try await copy.service.verify(depth: .everything).faults == [])
    let delta = try await copy.service.delta(of: .parks, since: .head(back: 1))
    #expect(delta.changes.inserted.count == 1)
  }
}
