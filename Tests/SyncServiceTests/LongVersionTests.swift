import ListModel
import StoreTestSupport
import SyncService
import Synchronization
import TestSupport
import Testing

@testable import ListStore

/// Versions that are so long that their rows are stored in several transactions.
@Suite struct LongVersionTests {
  /// - Parameter value: another one makes other contents of all items.
  private static func long(_ value: Int = 0) throws -> Snapshot {
    var random = SeededRandom(seed: UInt64(value))
    return try Snapshot(
      (0..<12_000).map { number in
        // Texts that deflating does not shorten to a single block.
        let text = (0..<28).map { _ in String(random.next(), radix: 36) }.joined()
        return Item(
          id: ItemID("i\(number)"), content: try Content(json: #"{"n":\#(number),"t":"\#(text)"}"#))
      })
  }

  /// A store with a short list, and perhaps the first version of the long one.
  private static func store(_ snapshot: Snapshot? = nil) async throws -> TestStore {
    let test = try TestStore()
    let other = CommitRequest(list: .other, snapshot: try Snapshot.of("a", "b"))
    _ = try await test.service.commit(other)
    if let snapshot {
      _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: snapshot))
    }
    return test
  }

  private static func expectNothingUnused(_ test: TestStore, _ lists: Int) async throws {
    #expect(try await test.service.verify(depth: .everything).faults.isEmpty)
    let blocks = try await test.store.read { reader in
      try reader.lists(.all).map { try reader.unusedBlocks(of: $0.key) }
    }
    #expect(blocks == blocks.map { _ in [] })
    for table in LogTable.ofLists {
      #expect(try await test.store.read { try $0.engine.lists(in: table).count } <= lists)
    }
  }

  @Test(arguments: [false, true])
  func aLongVersionIsStoredWhileOthersCommit(isSecond: Bool) async throws {
    let test = try await Self.store(isSecond ? Self.long(1) : nil)
    let watched = InterruptedStore(test)
    let outcome = try await SyncService(store: watched) { TestStore.noon }
      .commit(CommitRequest(list: .parks, snapshot: Self.long()))
    #expect(outcome.state.version == Version(isSecond ? 2 : 1))
    #expect(watched.states.count > 2)
    // Before the last transaction, nobody sees the version.
    #expect(watched.states.allSatisfy { $0 == (isSecond ? Version(1) : nil) })
    #expect(try await test.service.snapshot(of: .parks).snapshot == Self.long())
    // The other program committed before each transaction.
    let other = try await test.service.snapshot(of: .other).state.version
    #expect(other.number == 1 + watched.states.count)
    try await Self.expectNothingUnused(test, 2)
  }

  @Test(arguments: [false, true])
  func aLongVersionThatFailsLeavesNothing(isSecond: Bool) async throws {
    let test = try await Self.store(isSecond ? Self.long(1) : nil)
    var failureCount = 0
    for number in 0... {
      let failing = FailingStore(test.store, at: number, isKilled: false)
      let service = SyncService(store: failing) { TestStore.noon }
      do {
        _ = try await service.commit(CommitRequest(list: .parks, snapshot: Self.long()))
        break
      } catch StoreError.diskFull {
        failureCount += 1
        #expect(try await test.service.lists().count == (isSecond ? 2 : 1))
        try await Self.expectNothingUnused(test, isSecond ? 2 : 1)
      }
    }
    #expect(failureCount > 2)
    #expect(try await test.service.snapshot(of: .parks).snapshot == Self.long())
  }

  @Test(arguments: [false, true])
  func rowsOfAKilledProcessAreDeletedByCompact(isSecond: Bool) async throws {
    let test = try await Self.store(isSecond ? Self.long(1) : nil)
    for number in 1...3 {
      let failing = FailingStore(test.store, at: number, isKilled: true)
      let service = SyncService(store: failing) { TestStore.noon }
      await #expect(throws: StoreError.diskFull) {
        try await service.commit(CommitRequest(list: .parks, snapshot: Self.long()))
      }
      #expect(try await test.service.lists().count == (isSecond ? 2 : 1))
      #expect(try await test.service.verify(depth: .everything).faults.isEmpty)
      if isSecond {
        _ = try await test.service.compact(.parks)
      } else if number > 1 {
        #expect(try await test.store.read { try $0.engine.lists(in: .blocks).count } == 1)
      }
      if !isSecond { try await test.service.discardUnfinishedLists() }
      try await Self.expectNothingUnused(test, isSecond ? 2 : 1)
    }
    _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: Self.long()))
    try await Self.expectNothingUnused(test, 2)
    #expect(try await test.service.snapshot(of: .parks).snapshot == Self.long())
  }

  /// The other one is prepared again.
  @Test func oneOfTwoLongFirstVersionsOfAListWins() async throws {
    let test = try await Self.store()
    let snapshots = [try Self.long(1), try Self.long(2)]
    try await withThrowingTaskGroup(of: Version.self) { group in
      for snapshot in snapshots {
        group.addTask {
          try await test.service.commit(CommitRequest(list: .parks, snapshot: snapshot)).state
            .version
        }
      }
      let versions = try await group.reduce(into: []) { $0.append($1.number) }
      #expect(versions.sorted() == [1, 2])
    }
    try await Self.expectNothingUnused(test, 2)
    let last = try await test.service.snapshot(of: .parks).snapshot
    #expect(snapshots.contains(last))
  }

  @Test func aDiscardedFirstVersionIsStoredInTheEnd() async throws {
    let test = try await Self.store()
    let discarding = DiscardingStore(test)
    let outcome = try await SyncService(store: discarding) { TestStore.noon }
      .commit(CommitRequest(list: .parks, snapshot: Self.long()))
    #expect(outcome.state.version == Version(1))
    try await Self.expectNothingUnused(test, 2)
    #expect(try await test.service.snapshot(of: .parks).snapshot == Self.long())
  }

  @Test func aFirstVersionOfFewLongItemsIsStoredWhileOthersCommit() async throws {
    let test = try await Self.store()
    let watched = InterruptedStore(test)
    let text = (0..<300_000).map { String($0, radix: 36) }.joined()
    let items = try (0..<3).map {
      Item(id: ItemID("i\($0)"), content: try Content(json: #"{"n":\#($0),"t":"\#(text)"}"#))
    }
    _ = try await SyncService(store: watched) { TestStore.noon }
      .commit(CommitRequest(list: .parks, snapshot: Snapshot(items)))
    #expect(watched.states.count > 2)
    #expect(try await test.service.snapshot(of: .parks).snapshot.items == items)
  }

  /// The bound of a transaction, whatever the length of the list.
  @Test func rowsOfAFirstVersionAreMadeAMegabyteAtATime() async throws {
    let test = try TestStore()
    let outline = ListOutline(try Self.long())
    let first = try await test.store.write { writer in
      try writer.begin(.parks, at: record(of: outline), with: outline)
    }
    var byteCounts: [Int] = []
    while case let rows = try await first.rows(), !rows.isEmpty {
      byteCounts.append(rows.reduce(0) { $0 + $1.byteCount })
    }
    #expect(byteCounts.count > 1)
    #expect(byteCounts.allSatisfy { $0 < 2 << 20 }, "\(byteCounts)")
  }

  /// So that there is room for deleting what was stored.
  @Test func longVersionsAndMergesStopBeforeTheDiskIsFull() async throws {
    let store = MemoryStore()
    let service = SyncService(store: store) { TestStore.noon }
    func blockCount() async throws -> Int {
      try await store.read { reader in
        try reader.engine.lists(in: .blocks).reduce(0) { count, list in
          count
            + (try reader.rows(RowRange(of: .blocks, in: ListKey(rawValue: list))) { _ in }.count)
        }
      }
    }
    func expect(_ error: StoreError?, room: Int, _ body: () async throws -> Void) async throws {
      let before = try await blockCount()
      store.setRoom(room)
      do {
        try await body()
        #expect(error == nil)
      } catch let thrown as StoreError {
        #expect(thrown == error)
        #expect(try await blockCount() == before)
      }
      #expect(try await service.verify(depth: .everything).faults.isEmpty)
    }
    let versions = try (0..<3).map { try Self.long($0) }
    func commit(_ number: Int) async throws {
      _ = try await service.commit(CommitRequest(list: .parks, snapshot: versions[number]))
    }
    for number in versions.indices {
      try await expect(.diskFull, room: 3 << 19) { try await commit(number) }
      #expect(try await service.lists().isEmpty == (number == 0))
      try await expect(nil, room: 4 << 20) { try await commit(number) }
    }
    try await expect(.diskFull, room: 4 << 20) { _ = try await service.compact(.parks) }
    // A short commit needs no room that it could not get.
    try await expect(nil, room: 0) {
      let edit = Edit.put(try TestHistory.item("short", 1), .first)
      _ = try await service.commit(CommitRequest(list: .parks, edits: [edit]))
    }
    try await expect(nil, room: 20 << 20) { _ = try await service.compact(.parks) }
    #expect(try await service.compact(.parks).mergedCount == 0)
  }

  private func record(of outline: ListOutline) -> VersionRecord {
    let note = CommitNote(time: TestStore.noon, author: nil, message: nil)
    let header = VersionHeader(version: Version(1), note: note, root: outline.root, previous: .zero)
    let counts = ChangeCounts(removed: 0, moved: 0, inserted: outline.count, updated: 0)
    return VersionRecord(header, count: outline.count, changes: counts)
  }
}

extension ListName {
  fileprivate static let other = ListName("other")!
}

/// A store with another program that commits to another list before each transaction that writes,
/// and looks at the list.
private final class InterruptedStore: WrappingStore {
  let store: any ListStore
  private let other: TestStore
  private let seen = Mutex<[Version?]>([])

  init(_ other: TestStore) { (self.other, store) = (other, other.store) }

  /// The head of the list before each transaction.
  var states: [Version?] { seen.withLock { $0 } }

  func write<Result: Sendable>(
    _ body: @Sendable (ListWriter) throws -> Result
  ) async throws -> Result {
    let head = try await store.read { try $0.list(.parks)?.head }
    let value = seen.withLock {
      $0.append(head)
      return $0.count
    }
    let edit = Edit.put(try TestHistory.item("busy", value), .first)
    _ = try await other.service.commit(CommitRequest(list: .other, edits: [edit]))
    return try await store.write(body)
  }
}

/// A store of which a transaction that writes fails.
private final class FailingStore: WrappingStore {
  let store: any ListStore
  private let failing: Int
  private let isKilled: Bool
  private let count = Mutex(0)

  /// - Parameters:
  ///   - failing: the number of the transaction, from 0.
  ///   - isKilled: whether all later ones fail too.
  init(_ store: any ListStore, at failing: Int, isKilled: Bool) {
    (self.store, self.failing, self.isKilled) = (store, failing, isKilled)
  }

  func write<Result: Sendable>(
    _ body: @Sendable (ListWriter) throws -> Result
  ) async throws -> Result {
    let number = count.withLock {
      $0 += 1
      return $0 - 1
    }
    if number == failing || isKilled && number > failing { throw StoreError.diskFull }
    return try await store.write(body)
  }
}

/// A store with another program that discards unfinished lists before each transaction that writes.
private final class DiscardingStore: WrappingStore {
  let store: any ListStore
  private let other: TestStore

  init(_ other: TestStore) { (self.other, store) = (other, other.store) }

  func write<Result: Sendable>(
    _ body: @Sendable (ListWriter) throws -> Result
  ) async throws -> Result {
    try await other.service.discardUnfinishedLists()
    return try await store.write(body)
  }
}
