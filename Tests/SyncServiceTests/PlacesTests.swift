import ListStore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import ListModel
@testable import SyncService

/// Places that a replay follows, compared with those in whole snapshots.
@Suite struct PlacesTests {
  /// A list whose whole snapshots are kept in memory.
  private struct History {
    let test: TestStore
    let clock = Clock()
    /// By version.
    private(set) var snapshots: [[Item]] = [[]]
    var oldest = 1

    init() throws {
      let clock = clock
      test = try TestStore { clock.now() }
    }

    var head: [Item] { snapshots[snapshots.count - 1] }
    var ids: Set<ItemID> { Set(snapshots[oldest...].flatMap { $0.map(\.id) }) }

    mutating func commit(_ items: [Item]) async throws {
      guard items != head else { return }
      _ = try await test.service.commit(
        CommitRequest(list: .parks, snapshot: try Snapshot(items)))
      snapshots.append(items)
    }

    /// Compares all answers about all items with the snapshots.
    func check(_ comment: String) async throws {
      let service = test.service
      let records = try await service.log(of: .parks).reversed() as [VersionRecord]
      #expect(records.map(\.version.number) == Array(oldest..<snapshots.count))
      for id in ids {
        for first in [nil, 1, 3, 1000] {
          for before in [nil, 1, oldest, oldest + 1, snapshots.count / 2, snapshots.count, 9999] {
            let before = before.map { Version($0) }
            let expected = PlaceRun.all(of: records, first: first, before: before) { version in
              snapshots[version].firstIndex { $0.id == id }
            }
            let found = try await service.places(of: id, in: .parks, first: first, before: before)
            #expect(found.runs == expected, "\(id), \(comment)")
            #expect(found.state == records.last?.state)
            let page = try await service.places(
              of: id, in: .parks, first: first, before: before, limit: 2)
            #expect(page.runs == Array(expected.prefix(2)), "\(id), \(comment)")
          }
        }
      }
    }
  }

  /// A day for each commit.
  private final class Clock: Sendable {
    private let day = Mutex(0)

    func now() -> Timestamp {
      let days = day.withLock { day in
        day += 1
        return day
      }
      return Timestamp(
        millisecondsSince1970: TestStore.noon.millisecondsSince1970 + Int64(days) * 86_400_000)
    }
  }

  /// The next version: any kinds of changes, few or many; items come back.
  private static func next(_ items: [Item], _ random: inout SeededRandom) throws -> [Item] {
    func item() throws -> Item {
      try TestHistory.item(
        "i\(Int.random(in: 0..<14, using: &random))", .random(in: 0...2, using: &random))
    }
    var next = items
    switch Int.random(in: 0..<12, using: &random) {
    case 0: next.shuffle(using: &random)
    case 1: next.reverse()
    case 2: next = Array(next.dropFirst(next.count / 2) + next.prefix(next.count / 2))
    case 3: next = []
    default: break
    }
    for _ in 0..<Int.random(in: 1...5, using: &random) {
      let place = Int.random(in: 0...next.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0 where place < next.count: next.remove(at: place)
      case 1 where place < next.count:
        let moved = next.remove(at: place)
        next.insert(moved, at: .random(in: 0...next.count, using: &random))
      case 2 where place < next.count:
        next[place] = try TestHistory.item(next[place].id.text, .random(in: 3...9, using: &random))
      default:
        let new = try item()
        next.removeAll { $0.id == new.id }
        next.insert(new, at: min(place, next.count))
      }
    }
    return next
  }

  @Test func placesAreThoseOfWholeSnapshotsInCompactAndPrunedHistories() async throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<2 {
      var history = try History()
      for (round, count) in [14, 9, 7].enumerated() {
        for _ in 0..<count {
          try await history.commit(Self.next(history.head, &random))
        }
        let comment = "round \(round), seed \(random.seed)"
        try await history.check("\(comment), committed")
        _ = try await history.test.service.compact(.parks)
        try await history.check("\(comment), compacted")
        let kept = Int.random(in: 1..<history.snapshots.count - history.oldest, using: &random)
        try await history.test.service.prune(keepLast: kept)
        history.oldest = max(history.oldest, history.snapshots.count - kept)
        try await history.check("\(comment), pruned")
      }
    }
  }

  /// Steps are read in batches of 256 versions, and of fewer versions if they have many changes.
  @Test(arguments: [(600, 6), (7, 12_000)])
  func placesAreRightOverSeveralBatches(versionCount: Int, itemCount: Int) async throws {
    var history = try History()
    var items = try (0..<itemCount).map { try TestHistory.item("i\($0)", 0) }
    for version in 0..<versionCount {
      items.append(items.remove(at: version % 3))
      if itemCount > 100 { items.reverse() }
      try await history.commit(items)
    }
    let records = try await history.test.service.log(of: .parks).reversed() as [VersionRecord]
    for id in ["i0", "i1", "i4"] as [ItemID] {
      let expected = PlaceRun.all(of: records, first: nil, before: nil) { version in
        history.snapshots[version].firstIndex { $0.id == id }
      }
      #expect(try await history.test.service.places(of: id, in: .parks).runs == expected)
    }
  }

  @Test func runsHaveVersionsIndexesAndTimes() async throws {
    var history = try History()
    for texts in [["a", "b"], ["c", "a", "b"], ["c", "b", "a"], ["b", "c"], ["a=1", "b"]] {
      try await history.commit(Snapshot.of(texts).items)
    }
    let records = try await history.test.service.log(of: .parks)
    func time(_ version: Int) -> Timestamp { records[records.count - version].note.time }
    func run(_ from: Int, _ to: Int, _ index: Int, isLast: Bool = false) -> PlaceRun {
      PlaceRun(
        versions: Version(from)...Version(to), index: index, beganAt: time(from),
        endedAt: isLast ? nil : time(to + 1))
    }
    let service = history.test.service
    #expect(Set(records.map(\.note.time)).count == 5)
    #expect(
      try await service.places(of: "a", in: .parks).runs == [
        run(5, 5, 0, isLast: true), run(3, 3, 2), run(2, 2, 1), run(1, 1, 0),
      ])
    #expect(
      try await service.places(of: "a", in: .parks, first: 2).runs == [
        run(5, 5, 0, isLast: true), run(1, 2, 0),
      ])
    #expect(
      try await service.places(of: "c", in: .parks, first: 1).runs == [run(2, 3, 0)])
    #expect(
      try await service.places(of: "c", in: .parks, first: 1, before: Version(3)).runs
        == [run(2, 2, 0)])
  }

  @Test func unknownItemsAndListsAreRefused() async throws {
    var history = try History()
    try await history.commit(Snapshot.of(["a"]).items)
    try await history.commit(Snapshot.of(["b"]).items)
    let service = history.test.service
    await #expect(throws: ServiceError.noSuchItem("x", list: .parks)) {
      try await service.places(of: "x", in: .parks)
    }
    let other = try #require(ListName("other"))
    await #expect(throws: ServiceError.noSuchList(other)) {
      try await service.places(of: "a", in: other)
    }
    #expect(try await service.places(of: "a", in: .parks, before: .zero).runs == [])
    try await service.prune(keepLast: 1)
    await #expect(throws: ServiceError.noSuchItem("a", list: .parks)) {
      try await service.places(of: "a", in: .parks)
    }
  }
}
