import ListModel
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import SyncService

/// A list whose items are passed on some at a time.
@Suite struct ItemBatchTests {
  private final class Receiver: Sendable {
    let batches = Mutex<[(index: Int, items: [Item])]>([])

    func receive(_ items: [Item], _ index: Int) { batches.withLock { $0.append((index, items)) } }
    var items: [Item] { batches.withLock { $0.flatMap(\.items) } }
  }

  @Test func itemsComeInOrderAndInSmallBatchesAtEveryVersion() async throws {
    let test = try TestStore()
    var history = TestHistory(test)
    try await history.commit(history.newItems(70_000).reversed())
    try await history.commit(Array(history.snapshots[1].items.dropFirst(10)))
    for (version, snapshot) in history.snapshots.enumerated() {
      let receiver = Receiver()
      let state = try await test.service.items(
        of: .parks, at: .version(Version(version)), receive: receiver.receive)
      #expect(state.version == Version(version) && state.root == Root(of: snapshot))
      #expect(receiver.items == snapshot.items)
      let batches = receiver.batches.withLock { $0 }
      let starts = stride(from: 0, to: max(snapshot.items.count, 1), by: 1 << 13)
      #expect(batches.map(\.index) == Array(starts))
      #expect(batches.allSatisfy { $0.items.count <= 1 << 13 })
    }
  }

  /// Each block is read about once: in small batches of a list in the order of the log, and in
  /// large batches of a list in another order.
  @Test(arguments: [false, true]) func batchesReadFewBlocksTwice(isShuffled: Bool) async throws {
    var random = SeededRandom.forThisRun()
    let test = try TestStore()
    var history = TestHistory(test)
    try await history.commit(history.newItems(70_000))
    try await history.commit(
      history.snapshots[1].items.map {
        Item(id: $0.id, content: try Content(json: "[\($0.id.text.utf8.count),\"changed\"]"))
      })
    if isShuffled { try await history.commit(history.snapshots[2].items.shuffled(using: &random)) }
    let blocks = try await test.rows("SELECT count(*) FROM blocks")[0][0].flatMap { Int($0) } ?? 0
    #expect(blocks > 40)
    for version in history.snapshots.indices.dropFirst() {
      let receiver = Receiver()
      let rows = try await test.rowsRead {
        _ = try await test.service.items(
          of: .parks, at: .version(Version(version)), receive: receiver.receive)
      }
      #expect(receiver.items == history.snapshots[version].items)
      let batchCount = receiver.batches.withLock(\.count)
      #expect(batchCount == (isShuffled && version == 3 ? 2 : 9), "version \(version)")
      #expect(rows < 5 * blocks, "version \(version): \(rows) rows of \(blocks) blocks")
    }
  }

  @Test func wrongRootIsSaidAtTheEnd() async throws {
    let test = try TestStore()
    var history = TestHistory(test)
    try await history.commit(history.newItems(300))
    let note = try await test.service.log(of: .parks)[0].note
    let forged = VersionHeader(version: Version(1), note: note, root: .empty, previous: .zero)
    try await test.sql(
      "UPDATE versions SET root = x'\(forged.root)', chain = x'\(forged.chain)'")
    let receiver = Receiver()
    await #expect(
      throws: ServiceError.broken(
        list: .parks, version: Version(1), reason: "the root does not fit")
    ) {
      try await test.service.items(of: .parks, receive: receiver.receive)
    }
  }
}
