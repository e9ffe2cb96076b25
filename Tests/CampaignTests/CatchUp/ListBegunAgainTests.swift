import ListChanges
import ListModel
import ListStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import Synchronization
import TestSupport
import Testing

/// Clients catch up while a list is dropped and its name begins again: each answer belongs to the
/// history that its cursors name.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct ListBegunAgainTests {
  /// Enough items that the changes over two versions are kept.
  private static let itemCount = 300

  /// The list at a version of its n-th life.
  private static func snapshot(life: Int, version: Int) throws -> Snapshot {
    try Snapshot.of((0..<itemCount).map { "i\($0)=\(life * 10 + version)" })
  }

  private static func begin(life: Int, in service: SyncService) async throws {
    for version in 1...3 {
      var request = CommitRequest(
        list: .parks, snapshot: try snapshot(life: life, version: version))
      request.beginsAgain = true
      _ = try await service.commit(request)
    }
  }

  @Test(arguments: StoreEngine.here)
  func changesOfADroppedListAreNotKeptForTheListThatHasItsName(
    _ engine: StoreEngine
  ) async throws {
    let test = try CampaignStore(engine)
    let watched = WatchedStore(test.store)
    let reader = SyncService(store: watched) { TestStore.noon }
    try await Self.begin(life: 1, in: test.service)
    watched.afterNextRead {
      _ = try await test.service.drop(DepartureRequest(list: .parks))
      try await Self.begin(life: 2, in: test.service)
    }
    let old = try await reader.delta(of: .parks, since: .version(Version(1)))
    #expect(try old.changes == Self.changes(life: 1))
    let new = try await reader.delta(of: .parks, since: .version(Version(1)))
    #expect(try new.changes == Self.changes(life: 2))
    #expect(try await test.service.verify(depth: .everything).faults == [])
  }

  @Test(arguments: StoreEngine.here)
  func changesOfADroppedListLeaveNoRow(_ engine: StoreEngine) async throws {
    let test = try CampaignStore(engine)
    let watched = WatchedStore(test.store)
    try await Self.begin(life: 1, in: test.service)
    watched.afterNextRead { _ = try await test.service.drop(DepartureRequest(list: .parks)) }
    let reader = SyncService(store: watched) { TestStore.noon }
    _ = try await reader.delta(of: .parks, since: .version(Version(1)))
    #expect(try await test.service.verify(depth: .everything).faults == [])
  }

  /// The changes since version 1 of a life.
  private static func changes(life: Int) throws -> ChangeSet<Item> {
    try snapshot(life: life, version: 1).changes(to: snapshot(life: life, version: 3))
  }

  @Test(arguments: StoreEngine.here)
  func catchUpDuringDropsAnswersFromOneHistory(_ engine: StoreEngine) async throws {
    let campaign = Campaign("lists begun again, \(engine.rawValue)")
    let test = try CampaignStore(engine)
    let service = test.service
    try await Self.begin(life: 0, in: service)
    let lives = campaign.rounds(5, long: 300)
    let race = Race()
    let reading = (0..<3).map { _ in
      Task {
        var count = 0
        while !race.isDone { count += try await Self.ask(service) }
        return count
      }
    }
    for life in 1...lives {
      _ = try await service.drop(DepartureRequest(list: .parks))
      try await Self.begin(life: life, in: service)
    }
    race.finish()
    var count = 0
    for reader in reading { count += try await reader.value }
    campaign.report("\(lives) lives, \(count) exact deltas")
    #expect(count > 0)
    #expect(try await service.verify(depth: .everything).faults == [])
  }

  private final class Race: Sendable {
    private let end = Mutex(false)

    var isDone: Bool { end.withLock { $0 } }
    func finish() { end.withLock { $0 = true } }
  }

  /// - Returns: the number of answers; 0 while there is no list, or no second version.
  private static func ask(_ service: SyncService) async throws -> Int {
    let delta: Delta
    do {
      delta = try await service.delta(of: .parks, since: .version(Version(1)))
    } catch ServiceError.gone, ServiceError.noSuchVersion, ServiceError.noSuchList {
      return 0
    }
    guard let to = delta.to.cursor, to.version > Version(1) else { return 0 }
    let text = String(decoding: delta.changes.updated[0].new.content.bytes, as: UTF8.self)
    let value = try #require(text.split(separator: ":").last.flatMap { Int($0.dropLast()) })
    let reached = try snapshot(life: value / 10, version: 1).applying(delta.changes)
    #expect(Root(of: reached) == delta.to.root, "\(value): \(delta.to)")
    return 1
  }
}
