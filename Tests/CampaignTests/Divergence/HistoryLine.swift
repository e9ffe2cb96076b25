import ListChanges
import ListModel
import ListStore
import PostgresTestSupport
import SQLiteStore
import StoreTestSupport
import SyncService
import TestSupport

/// A store with one history of a list, and the data of each version.
struct HistoryLine {
  let test: CampaignStore
  /// Snapshots by version; the first is the empty list.
  private(set) var snapshots: [Snapshot] = [.empty]
  /// Cursors by version.
  private(set) var cursors: [Cursor] = [Cursor(version: .zero, chain: .zero)]
  /// Times by version; the first has no meaning.
  private(set) var times: [Timestamp] = [TestStore.noon]

  init(_ test: CampaignStore) { self.test = test }

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

  /// The same history in another store that has it already.
  fileprivate func moved(to test: CampaignStore) -> HistoryLine {
    var line = HistoryLine(test)
    (line.snapshots, line.cursors, line.times) = (snapshots, cursors, times)
    return line
  }

  func holds(_ cursor: Cursor) -> Bool { cursors.contains(cursor) }
}

/// A backup of a history: a copy of its file, or a bundle of a database's list.
struct BackedUpLine {
  private enum Copy {
    case file(String)
    case bundle(VersionSteps)
  }

  private let line: HistoryLine
  private let copy: Copy

  init(of line: HistoryLine) async throws {
    self.line = line
    guard case .file(let path) = line.test.place, let store = line.test.store as? SQLiteStore else {
      copy = .bundle(try await VersionSteps(of: line.service, since: nil))
      return
    }
    copy = .file(path + ".backup")
    let outcome = try await Backup(of: store, to: path + ".backup").run()
    guard outcome.verification.faults.isEmpty else {
      throw Victim.Loss(description: "the backup has faults: \(outcome.verification.faults)")
    }
  }

  /// The history up to the backup, in a store of its own.
  func restored() async throws -> HistoryLine {
    switch copy {
    case .file(let path): return line.moved(to: try CampaignStore(copying: path))
    case .bundle(let source):
      let test = try CampaignStore(.postgres)
      _ = try await test.service.apply { source }
      return line.moved(to: test)
    }
  }
}
