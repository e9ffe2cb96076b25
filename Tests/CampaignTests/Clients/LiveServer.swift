import Foundation
import ListChanges
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService
import TestSupport

/// A server in this process with two lists, their expected contents, and the acts of its operator.
///
/// It answers by its own routes, from a store in a file. A restored backup is another file: a new
/// server process answers from it, without data of the previous one.
final class LiveServer {
  static let lists = [ListName("parks")!, ListName("movies")!]

  /// The present content of the store.
  private var twins = TwinStore()
  private(set) var known: [ListName: KnownVersions] = [:]
  /// The cursor that the running server has noticed, by list.
  private(set) var noticed: [ListName: Cursor] = [:]
  private(set) var restoreCount = 0
  private(set) var processCount = 1
  private(set) var pruneCount = 0
  private var backups: [(path: String, twins: TwinStore)] = []
  private let folder: URL
  private let itemCount: Int
  private var test: TestStore
  private var process: ServerProcess
  private var lastID = 0
  private var time = TestStore.noon

  /// - Parameter itemCount: the approximate number of items of each list.
  init(itemCount: Int, seed: UInt64) async throws {
    self.itemCount = itemCount
    folder = try TemporaryFolder.make()
    test = try TestStore()
    process = ServerProcess(test.service)
    for list in Self.lists { known[list] = KnownVersions() }
    var random = SeededRandom(seed: seed)
    for list in Self.lists {
      let items = (0..<random.number(1...itemCount)).map { _ in newItem(&random) }
      try await commit(Snapshot(items), to: list)
    }
    try await notice()
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func head(of list: ListName) -> Cursor {
    twins[list]?.headCursor ?? Cursor(version: .zero, chain: .zero)
  }

  func snapshot(of list: ListName) -> Snapshot { Snapshot(uniqueItems: twins[list]?.items ?? []) }

  /// The server's present answer to a request.
  func answer(_ target: String, _ headers: [(name: String, value: String)]) async throws
    -> WireAnswer
  {
    try await process.answer(target, headers)
  }

  /// Makes the server notice new commits.
  func notice() async throws {
    try await process.notice()
    for list in Self.lists { noticed[list] = head(of: list) }
  }
}

extension LiveServer {
  func perform(_ act: ServerAct) async throws {
    var random = SeededRandom(seed: act.seed)
    // No two acts have the same time, so commits after a restored backup make another history.
    time = Timestamp(
      millisecondsSince1970: TestStore.noon.millisecondsSince1970 + Int64(act.seconds * 1000))
    let list = random.chance(4) ? Self.lists[1] : Self.lists[0]
    switch act.kind {
    case .commit:
      var items = snapshot(of: list).items
      for _ in 0..<random.size(upTo: max(1, itemCount / 2)) { change(&items, &random) }
      try await commit(Snapshot(items), to: list)
    case .edit: try await edit(list, &random)
    case .clear: try await commit(.empty, to: list)
    case .prune: try await prune(list, keepLast: random.number(1...4))
    case .backup: try await backUp()
    case .restore: try await restore(&random)
    case .restart: try await begin()
    }
  }

  private func newItem(_ random: inout SeededRandom) -> Item {
    lastID += 1
    return item(random.chance(20) ? "é\(lastID)" : "i\(lastID)", &random)
  }

  private func item(_ id: String, _ random: inout SeededRandom) -> Item {
    let content = #"{"id":"\#(id)","value":\#(random.number(0...9))}"#
    guard let content = try? Content(json: content) else { preconditionFailure(content) }
    return Item(id: ItemID(id), content: content)
  }

  private func change(_ items: inout [Item], _ random: inout SeededRandom) {
    let place = random.number(0...items.count)
    guard place < items.count else { return items.append(newItem(&random)) }
    switch random.number(1...5) {
    case 1 where items.count > itemCount / 2: items.remove(at: place)
    case 1, 2: items.insert(newItem(&random), at: place)
    case 3:
      let moved = items.remove(at: place)
      items.insert(moved, at: random.number(0...items.count))
    default: items[place] = item(items[place].id.text, &random)
    }
  }

  private func commit(_ snapshot: Snapshot, to list: ListName) async throws {
    var request = CommitRequest(list: list, snapshot: snapshot)
    request.time = time
    _ = try await test.service.commit(request)
    try record(snapshot, as: list)
  }

  private func edit(_ list: ListName, _ random: inout SeededRandom) async throws {
    var items = snapshot(of: list).items
    guard !items.isEmpty else { return }
    let moved = items.remove(at: random.number(0...items.count - 1))
    let place = random.number(0...items.count)
    let new = item(moved.id.text, &random)
    items.insert(new, at: place)
    var request = CommitRequest(list: list, edits: [.remove(moved.id), .put(new, .at(place))])
    request.time = time
    _ = try await test.service.commit(request)
    try record(Snapshot(items), as: list)
  }

  /// Records a version that the store must have now.
  private func record(_ snapshot: Snapshot, as list: ListName) throws {
    let before = head(of: list)
    let outcome = try twins.commit(CommitRequest(list: list, snapshot: snapshot), now: time)
    if case .committed(let record) = outcome {
      known[list]?.add(snapshot, record.state, after: before)
    }
  }

  private func prune(_ list: ListName, keepLast: Int) async throws {
    guard let rule = RetentionRule(keepLast: keepLast) else { return }
    let request = PruneRequest(list: list, rule: rule)
    _ = try await test.service.prune(request)
    _ = try twins.prune(request, now: time)
    pruneCount += 1
  }

  private func backUp() async throws {
    let path = folder.appendingPathComponent("backup-\(backups.count).db").path
    _ = try await test.store.copy(to: path) { _, _ in }
    backups.append((path, twins))
  }

  private func restore(_ random: inout SeededRandom) async throws {
    guard !backups.isEmpty else { return }
    let backup = random.element(of: backups)
    test = try TestStore(copying: backup.path)
    twins = backup.twins
    restoreCount += 1
    try await begin()
  }

  private func begin() async throws {
    process = ServerProcess(test.service)
    processCount += 1
    try await notice()
  }
}
