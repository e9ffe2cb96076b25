import ListChanges
import ListModel
import ListStore
import StoreTestSupport
import SyncService
import TestSupport

/// A store with one history of a list, and the data of each version.
struct HistoryLine {
  let test: TestStore
  /// Snapshots by version; the first is the empty list.
  private(set) var snapshots: [Snapshot] = [.empty]
  /// Cursors by version.
  private(set) var cursors: [Cursor] = [Cursor(version: .zero, chain: .zero)]
  /// Times by version; the first has no meaning.
  private(set) var times: [Timestamp] = [TestStore.noon]

  init(_ test: TestStore) { self.test = test }

  var service: SyncService { test.service }
  var head: Int { cursors.count - 1 }

  mutating func commit(_ snapshot: Snapshot, at time: Timestamp) async throws {
    var request = CommitRequest(list: .parks, snapshot: snapshot)
    (request.time, request.allowsEarlierTime) = (time, true)
    guard case .committed(let record) = try await service.commit(request) else { return }
    snapshots.append(snapshot)
    cursors.append(record.cursor)
    times.append(time)
  }

  /// Commits random versions, each a second or more after the one before.
  mutating func commitRandomVersions(_ count: Int, _ random: inout SeededRandom) async throws {
    for _ in 0..<count {
      let ids = (0..<7).map { "i\($0)" }.shuffled(using: &random)
      let texts = ids.prefix(.random(in: 0...7, using: &random)).map {
        "\($0)=\(Int.random(in: 0...2, using: &random))"
      }
      let time = Timestamp(
        millisecondsSince1970: times[head].millisecondsSince1970
          + .random(in: 1...3, using: &random) * 1000)
      try await commit(try .of(texts), at: time)
    }
  }

  /// The history up to an earlier version, in another store.
  func prefix(upTo version: Int, in test: TestStore) -> HistoryLine {
    var line = HistoryLine(test)
    line.snapshots = Array(snapshots[...version])
    line.cursors = Array(cursors[...version])
    line.times = Array(times[...version])
    return line
  }

  func holds(_ cursor: Cursor) -> Bool { cursors.contains(cursor) }
}
