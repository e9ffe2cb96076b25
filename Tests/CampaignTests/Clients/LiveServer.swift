import Foundation
import ListChanges
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService
import TestSupport

/// A server in this process with two lists, what it must answer, and what whoever keeps it does.
///
/// It answers by its own routes, from a store in a file. A restored backup is another file, which a
/// server begins to answer from that knows nothing of the one before.
final class LiveServer {
  static let lists = [ListName("parks")!, ListName("movies")!]

  /// By list, what the store holds now.
  private var twins: [ListName: ListTwin] = [:]
  private(set) var known: [ListName: KnownVersions] = [:]
  /// By list, what the running server has noticed.
  private(set) var noticed: [ListName: Cursor] = [:]
  private(set) var restoreCount = 0
  private(set) var processCount = 1
  private(set) var pruneCount = 0
  private var backups: [(path: String, twins: [ListName: ListTwin])] = []
  private let folder: URL
  private let itemCount: Int
  private var test: TestStore
  private var process: ServerProcess
  private var lastID = 0
  private var time = TestStore.noon

  /// - Parameter itemCount: about how many items the lists have.
  init(itemCount: Int, seed: UInt64) async throws {
    self.itemCount = itemCount
    folder = try TemporaryFolder.make()
    test = try TestStore()
    process = ServerProcess(test.service)
    for list in Self.lists { (twins[list], known[list]) = (ListTwin(), KnownVersions()) }
    var random = SeededRandom(seed: seed)
    for list in Self.lists {
      let items = (0..<random.number(1...itemCount)).map { _ in newItem(&random) }
      try await commit(Snapshot(items), to: list)
    }
    try await notice()
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func head(of list: ListName) -> Cursor {
    twins[list].map { $0.cursor(of: $0.head) } ?? Cursor(version: .zero, chain: .zero)
  }

  func snapshot(of list: ListName) -> Snapshot { twins[list]?.snapshots.last ?? .empty }

  /// What the server answers now to a request.
  func answer(_ target: String, _ headers: [(name: String, value: String)]) async throws
    -> WireAnswer
  {
    try await process.answer(target, headers)
  }

  /// The server takes notice of what was committed since.
  func notice() async throws {
    try await process.notice()
    for list in Self.lists { noticed[list] = head(of: list) }
  }
}

extension LiveServer {
  func perform(_ act: ServerAct) async throws {
    var random = SeededRandom(seed: act.seed)
    // No two acts at the same time, so that what a restored backup goes on with is another history.
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
    take(snapshot, as: list)
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
    take(try Snapshot(items), as: list)
  }

  /// Notes a version that the store must have now.
  private func take(_ snapshot: Snapshot, as list: ListName) {
    guard var twin = twins[list] else { return }
    let before = twin.cursor(of: twin.head)
    twin.commit(snapshot, CommitNote(time: time))
    twins[list] = twin
    if twin.cursor(of: twin.head) != before {
      known[list]?.add(snapshot, twin.state(of: twin.head), after: before)
    }
  }

  private func prune(_ list: ListName, keepLast: Int) async throws {
    guard let rule = RetentionRule(keepLast: keepLast), var twin = twins[list] else { return }
    _ = try await test.service.prune(PruneRequest(list: list, rule: rule))
    twin.prune(to: twin.floor(by: rule, at: time), rule: rule, at: time)
    twins[list] = twin
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
