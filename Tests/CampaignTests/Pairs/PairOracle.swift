import Foundation
import TestSupport

/// The results of verbs in sequence, which are the permitted results of verbs at the same time.
actor PairOracle {
  /// The results of a sequence of calls, and the files they leave.
  struct Ending: Sendable {
    let results: [PairResult]
    let state: PairState
    /// The store; do not write to its folder.
    let store: PairStore
  }

  /// The state before any call.
  let base: Ending
  private var endings: [[PairCall]: Task<Ending, any Error>] = [:]
  private var callCounts: [String: Task<Int, any Error>] = [:]

  init() async throws {
    let store = try await PairFixture.make()
    base = Ending(results: [], state: try await PairState(at: store.path), store: store)
  }

  /// The results of calls in sequence.
  func ending(of calls: [PairCall]) async throws -> Ending {
    guard let last = calls.last else { return base }
    if let known = endings[calls] { return try await known.value }
    let task = Task {
      let before = try await ending(of: Array(calls.dropLast()))
      let store = try PairStore(copying: before.store)
      let outcome = try await store.start(last).outcome()
      let result = try await PairResult(outcome, of: last, in: store)
      return Ending(
        results: before.results + [result], state: try await PairState(at: store.path),
        store: store)
    }
    endings[calls] = task
    return try await task.value
  }

  /// The number of calls that a verb makes on the store's files when it is alone.
  func callCount(of verb: PairVerb) async throws -> Int {
    if let known = callCounts[verb.name] { return try await known.value }
    let base = base.store
    let task = Task {
      let store = try PairStore(copying: base)
      let plan = try StopPlan(
        at: 0, in: store.folder, counter: store.root.appendingPathComponent("count"))
      _ = try await store.start(PairCall(verb: verb, slot: 1), environment: plan.environment)
        .outcome()
      return try plan.callCount
    }
    callCounts[verb.name] = task
    return try await task.value
  }
}

/// The start store of every pair, made by the built program.
enum PairFixture {
  static let commitCount = 3

  static func make() async throws -> PairStore {
    let store = try PairStore()
    for number in 1...6 { try await commit(number, to: store) }
    try await succeed(store, "tag parks summer 3")
    try await succeed(store, "commit left list.json --at 2026-02-07")
    try await succeed(store, "drop left --yes")
    try await succeed(store, "token create reader --read *")
    try await succeed(store, "bundle create parks -o parks.bundle")
    for slot in 1...2 {
      let next = items(120, version: 6 + slot) + [#"{"id":"next\#(slot)"}"#]
      try write(next, to: "next\(slot).json", in: store)
      try write([#"{"id":"item\#(slot)"}"#], to: "item\(slot).json", in: store)
      let change = try await succeed(store, "edit parks --put item\(slot).json --dry-run")
      try Data(change).write(to: store.root.appendingPathComponent("change\(slot).delta"))
    }
    let repository = try RepositoryFixture()
    for number in 1...commitCount {
      let list = "[\(items(20, version: number).joined(separator: ","))]"
      try repository.load(FixtureCommit("Change \(number)", .write("parks.json", list)))
    }
    try FileManager.default.copyItem(
      at: repository.url, to: store.root.appendingPathComponent("repository"))
    return store
  }

  private static func commit(_ number: Int, to store: PairStore) async throws {
    try write(items(100 + number, version: number), to: "list.json", in: store)
    try await succeed(store, "commit parks list.json --at 2026-02-0\(number)")
  }

  /// Items, every third with new content in each version.
  private static func items(_ count: Int, version: Int) -> [String] {
    (0..<count).map { index in
      let text = String(repeating: "\(index % 3 == 0 ? version : 0)", count: 200)
      return #"{"id":"i\#(index)","text":"\#(text)"}"#
    }
  }

  private static func write(_ items: [String], to name: String, in store: PairStore) throws {
    try Data("[\(items.joined(separator: ","))]".utf8)
      .write(to: store.root.appendingPathComponent(name))
  }

  @discardableResult
  private static func succeed(_ store: PairStore, _ line: String) async throws -> [UInt8] {
    let words = line.split(separator: " ").map(String.init) + ["--store", store.path]
    let outcome = try await SpawnedProgram.run(words, in: store.root)
    guard outcome.exitCode == 0 else {
      throw SpawnedProgram.Failure(description: "\(line): \(outcome.errorText)")
    }
    return outcome.output
  }
}
