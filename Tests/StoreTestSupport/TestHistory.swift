import ListChanges
import ListModel
import ListStore
import SyncService
import TestSupport

/// Random versions of a list, and the store that holds them.
package struct TestHistory {
  package let test: TestStore
  /// By number; the first is the empty list.
  package private(set) var snapshots: [Snapshot] = [.empty]
  private var nextID = 0

  package init(_ test: TestStore) { self.test = test }

  package var head: Version { Version(snapshots.count - 1) }

  /// Commits a snapshot as the next version.
  package mutating func commit(_ items: [Item]) async throws {
    let snapshot = try Snapshot(items)
    guard snapshot != snapshots.last else { return }
    _ = try await test.service.commit(.init(list: .parks, snapshot: snapshot))
    snapshots.append(snapshot)
  }

  /// Commits the head with some edits at random places.
  package mutating func commitEdits(_ count: Int, _ random: inout SeededRandom) async throws {
    var items = snapshots[snapshots.count - 1].items
    for _ in 0..<count {
      let place = Int.random(in: 0...items.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0 where place < items.count: items.remove(at: place)
      case 1 where place < items.count:
        let item = items.remove(at: place)
        items.insert(item, at: .random(in: 0...items.count, using: &random))
      case 2, 3, 4:
        guard place < items.count else { continue }
        items[place] = try Self.item(
          items[place].id.text, .random(in: 0...9, using: &random))
      default: items.insert(try newItem(), at: place)
      }
    }
    try await commit(items)
  }

  package mutating func newItems(_ count: Int) throws -> [Item] {
    try (0..<count).map { _ in try newItem() }
  }

  private mutating func newItem() throws -> Item {
    nextID += 1
    return try Self.item("i\(nextID)", 0)
  }

  package static func item(_ id: String, _ value: Int) throws -> Item {
    Item(id: ItemID(id), content: try Content(json: #"{"id":"\#(id)","value":\#(value)}"#))
  }

  /// The answers about all versions: every snapshot, deltas, the log, verification.
  package func answers(_ pairs: [(Int, Int)]) async throws -> Answers {
    let service = test.service
    var snapshots: [Snapshot] = []
    for number in self.snapshots.indices {
      snapshots.append(
        try await service.snapshot(of: .parks, at: .version(Version(number))).snapshot)
    }
    var deltas: [Delta] = []
    for (from, to) in pairs {
      deltas.append(
        try await service.delta(
          of: .parks, since: .version(Version(from)), to: .version(Version(to))))
    }
    return Answers(
      snapshots: snapshots, deltas: deltas, log: try await service.log(of: .parks),
      history: try await service.history(of: "i1", in: .parks),
      report: try await service.verify(depth: .everything))
  }

  package struct Answers: Equatable {
    package let snapshots: [Snapshot]
    package let deltas: [Delta]
    package let log: [VersionRecord]
    package let history: [ItemChange]
    package let report: VerificationReport
  }

  package func randomPairs(_ count: Int, _ random: inout SeededRandom) -> [(Int, Int)] {
    (0..<count).map { _ in
      (
        .random(in: snapshots.indices, using: &random),
        .random(in: snapshots.indices, using: &random)
      )
    }
  }
}
