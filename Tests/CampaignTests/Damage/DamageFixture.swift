import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService
import TestSupport

/// A small store with rows in every table, at several moments.
struct DamageFixture {
  /// The first moment of one fixture, for all who need no other.
  static let moment = Task { try await DamageFixture(value: 0).moments[0] }

  /// The answers of the store at a moment.
  struct State: Sendable {
    /// Values by the name of the query.
    let values: [String: DamageQuery.Value]
    /// The newest cursor of the list that gets more commits.
    let cursor: Cursor
  }

  /// The files at a moment when the main file holds everything, and after further commits to the
  /// write-ahead log.
  struct Moment: Sendable {
    /// The files after a regular close.
    let closed: StoreFiles
    /// The files after the writer made some more commits and was killed.
    let killed: StoreFiles
    /// The states after the first of these, and after each commit.
    let states: [State]
    /// Where each commit ends in the write-ahead log of the killed writer.
    let commitEnds: [Int]

    /// The number of the state that SQLite recovers if the write-ahead log is not as written from
    /// an offset on: that of the last commit before it.
    func recoveredState(upTo offset: Int) -> Int { commitEnds.count { $0 <= offset } }
  }

  private(set) var moments: [Moment] = []

  /// - Parameter value: makes stores differ from each other.
  init(value: Int, momentCount: Int = 1) async throws {
    let test = try TestStore()
    try await Self.fill(test, value)
    for moment in 0..<momentCount {
      let closed = try await Self.closedFiles(of: test)
      var states = [try await Self.state(of: test.service)]
      var commitEnds: [Int] = []
      for number in 0..<3 {
        let item = try TestHistory.item("i\(number)", value + 10 * moment + number + 1)
        let new = try TestHistory.item(Self.newID(moment, number), value)
        let offset = try StoreFiles(at: test.path).log?.count ?? 0
        _ = try await test.service.commit(
          CommitRequest(list: .parks, edits: [.put(item, .first), .put(new, .last)]))
        if let end = try StoreFiles(at: test.path).endOfCommit(after: offset) {
          commitEnds.append(end)
        }
        states.append(try await Self.state(of: test.service))
      }
      moments.append(
        Moment(
          closed: closed, killed: try StoreFiles(at: test.path), states: states,
          commitEnds: commitEnds))
    }
  }

  /// The id of the item that a commit after a moment adds.
  static func newID(_ moment: Int, _ commit: Int) -> String { "n\(moment)-\(commit)" }

  /// The files after the last connection closes the store: the main file holds everything.
  private static func closedFiles(of test: TestStore) async throws -> StoreFiles {
    try await test.emptyLog()
    let files = try StoreFiles(at: test.path)
    precondition(files.log == nil, "nobody else has the store open")
    return files
  }

  private static func fill(_ test: TestStore, _ value: Int) async throws {
    let service = test.service
    for number in 1...7 {
      var items = try (0..<12).map { try TestHistory.item("i\($0)", value + $0 % number) }
      items.swapAt(number % 5, 7)
      if number == 3 { items.remove(at: 2) }
      var request = CommitRequest(list: .parks, snapshot: try Snapshot(items))
      request.idRule = "[\"id\"]"
      (request.author, request.message) = ("Ann", "No. \(number)")
      _ = try await service.commit(request)
    }
    // Enough changes that the store keeps the delta over both.
    for number in 0..<2 {
      let items = try (0..<260).map { try TestHistory.item("i\($0)", value + number + $0 % 3) }
      _ = try await service.commit(.init(list: .films, snapshot: try Snapshot(items)))
    }
    // One list is compacted but for its last version, the other has what its commits merged.
    _ = try await service.compact(.films)
    let items = try (0..<260).map { try TestHistory.item("i\(259 - $0)", value + 9) }
    _ = try await service.commit(.init(list: .films, snapshot: try Snapshot(items)))
    for (name, version) in [("spring", 5), ("summer", 7)] {
      _ = try await service.tag(
        TagName(name)!, of: .parks, at: .version(Version(version)))
    }
    try await service.prune(keepLast: 4)
    try await test.store.write { writer in
      guard let list = try writer.lockedList(.parks) else { return }
      try writer.setImportPosition("position \(value)", of: "source", in: list.key)
    }
    _ = try await service.delta(of: .films, since: .version(Version(1)))
  }

  private static func state(of service: SyncService) async throws -> State {
    var values: [String: DamageQuery.Value] = [:]
    for query in DamageQuery.all {
      values[query.name] = try await query.ask(service)
    }
    guard let cursor = try await service.log(of: .parks, limit: 1).first?.cursor else {
      preconditionFailure("the list has versions")
    }
    return State(values: values, cursor: cursor)
  }
}
