import Foundation
import ListDocuments
import ListModel
import ListStore
import StoreTestSupport
import SyncService
import TestSupport

/// A list that the built program stores, and its twin in memory.
final class CommandLineModel {
  let name = ListName("parks")!
  private let harness: CommandLineHarness
  private var twin = TwinStore()
  private var copy = TwinStore()
  private var random: SeededRandom
  private var fileCount = 0
  private var storeName = "listsync.db"
  /// The command line of each run.
  private(set) var runs: [String] = []

  struct Difference: Error, CustomStringConvertible {
    let description: String
  }

  init(_ random: SeededRandom) throws {
    self.random = random
    harness = try CommandLineHarness()
  }

  private var list: TwinList { twin[name] ?? TwinList(name) }

  /// Runs random verbs that add versions or maintain the store.
  func execute(stepCount: Int) async throws {
    try await commit()
    for _ in 0..<stepCount {
      switch random.number(0...9) {
      case 0...3: try await commit()
      case 4, 5: try await edit()
      case 6: try await commitDelta()
      case 7: try await tag()
      case 8: try await prune()
      default: try await backUp()
      }
    }
    try await transfer()
    try await checkAnswers()
  }

  // MARK: - Versions

  private func commit() async throws {
    let format = random.element(of: ["json", "ndjson", "csv"])
    let ids = nextIDs()
    let values = ids.map { _ in random.number(0...2) }
    let lines = zip(ids, values).map { #"{"id":"\#($0)","v":\#($1)}"# }
    let text =
      switch format {
      case "json": "[\(lines.joined(separator: ","))]"
      case "ndjson": lines.map { $0 + "\n" }.joined()
      default: "id,v\n" + zip(ids, values).map { "\($0),\($1)\n" }.joined()
      }
    // The cells of a table are strings.
    let quote = format == "csv" ? "\"" : ""
    let items = try zip(ids, values).map {
      Item(
        id: ItemID($0), content: try Content(json: #"{"id":"\#($0)","v":\#(quote)\#($1)\#(quote)}"#)
      )
    }
    var request = CommitRequest(list: name, snapshot: try Snapshot(items))
    (request.time, request.allowsEarlierTime) = (time(), true)
    if list.head > 0, random.chance(3) {
      request.expected = [.version(Version(random.number(0...list.head + 1)))]
    }
    let file = try write(text, "list.\(format)")
    let expected = request.expected.flatMap { ["--expect", "\($0)"] }
    try await expect(
      ["commit", name.text, file] + dated(request) + expected
    ) { try self.document(of: self.twin.commit(request, now: TestStore.noon)) }
  }

  private func nextIDs() -> [String] {
    var ids = list.items.map(\.id.text)
    if ids.isEmpty { ids = (0..<random.number(1...12)).map { "i\($0)" } }
    for _ in 0..<random.number(0...4) {
      let place = random.number(0...ids.count)
      switch random.number(0...2) {
      case 0 where place < ids.count && ids.count > 1: ids.remove(at: place)
      case 1 where place < ids.count: ids.swapAt(place, random.number(0...ids.count - 1))
      default:
        let id = "i\(random.number(0...30))"
        if !ids.contains(id) { ids.insert(id, at: place) }
      }
    }
    return ids
  }

  private func edit() async throws {
    let items = list.items
    guard let anchor = items.isEmpty ? nil : random.element(of: items) else { return }
    let id = "i\(random.number(0...30))"
    let json = #"{"id":"\#(id)","v":\#(random.number(0...2))}"#
    let item = Item(id: ItemID(id), content: try Content(json: json))
    let places: [([String], Edit.Place?)] = [
      ([], nil), (["--first"], .first), (["--last"], .last),
      (["--to", "\(items.count / 2)"], .at(items.count / 2)),
      (["--before", anchor.id.text], .before(anchor.id)),
      (["--after", anchor.id.text], .after(anchor.id)),
    ]
    let (words, place) = random.element(of: places)
    let removed = random.chance(3) ? random.element(of: items).id : nil
    var request = CommitRequest(
      list: name, edits: (removed.map { [.remove($0)] } ?? []) + [.put(item, place)])
    (request.time, request.allowsEarlierTime) = (time(), true)
    let file = try write(json, "item.json")
    let removal = removed.map { ["--remove", $0.text] } ?? []
    try await expect(
      ["edit", name.text, "--put", file] + dated(request) + words + removal
    ) { try self.document(of: self.twin.commit(request, now: TestStore.noon)) }
  }

  /// Commits the delta back to an earlier version.
  private func commitDelta() async throws {
    let version = random.element(of: [0] + list.kept)
    let delta = list.delta(list.head, version)
    var request = CommitRequest(
      list: name, .changes(BareChanges(delta.changes), from: delta.from, to: delta.to))
    (request.time, request.allowsEarlierTime) = (time(), true)
    let file = try write(
      String(decoding: DeltaDocument(delta).encoded(), as: UTF8.self), "delta.json")
    let target = list.snapshots[version]
    try await expect(
      ["commit", name.text, "--delta", file] + dated(request)
    ) {
      try self.document(
        of: self.twin.commit(request, leadingTo: target, now: TestStore.noon))
    }
  }

  private func document(of outcome: CommitOutcome) -> (NSDictionary) -> Bool {
    { found in
      let head = found["head"] as? NSDictionary
      guard head?["cursor"] as? String == outcome.state.cursor?.description,
        head?["count"] as? Int == outcome.state.count,
        head?["root"] as? String == outcome.state.root.description
      else { return false }
      switch outcome {
      case .found(_, isOwn: true): return found["outcome"] as? String == "repeated"
      case .found, .unchanged: return found["outcome"] as? String == "unchanged"
      case .committed(let record):
        let counts = [
          "removed": record.changes.removed, "moved": record.changes.moved,
          "inserted": record.changes.inserted, "updated": record.changes.updated,
        ]
        return found["outcome"] as? String == "committed"
          && found["changes"] as? [String: Int] == counts
      case .merged: return false
      }
    }
  }

  // MARK: - Maintenance

  private func tag() async throws {
    let tag = random.element(of: ["spring", "v1"])
    let version = random.number(0...list.head + 1)
    let isForced = random.chance(2)
    try await expect(
      ["tag", name.text, tag, "\(version)", "--json"] + (isForced ? ["--force"] : [])
    ) {
      let outcome = try self.twin.tag(
        TagName(tag)!, of: self.name, at: .version(Version(version)), isForced: isForced,
        now: TestStore.noon)
      return { $0["version"] as? Int == outcome.entry.tag.version.number }
    }
  }

  private func prune() async throws {
    let count = random.number(1...4)
    let request = PruneRequest(list: name, rule: RetentionRule(keepLast: count)!)
    try await expect(["prune", name.text, "--keep-last", "\(count)", "--json"]) {
      let floor = try self.twin.prune(request, now: TestStore.noon).plan.floor
      return { $0["oldest"] as? Int == floor?.number }
    }
  }

  private func backUp() async throws {
    fileCount += 1
    let file = "backup-\(fileCount).db"
    _ = try await succeed(["backup", file])
    storeName = file
  }

  /// Transfers all versions to another store, which must then have the same log.
  private func transfer() async throws {
    _ = try await succeed(["bundle", "create", name.text, "-o", "parks.bundle"])
    _ = try await succeed(["bundle", "verify", "parks.bundle"], takesStore: false)
    _ = try await succeed(
      ["bundle", "apply", "parks.bundle", "--store", "other.db"], takesStore: false)
    let log = try await succeed(
      ["log", name.text, "--json", "--store", "other.db"], takesStore: false)
    try check("the other store's log", Self.cursors(of: log) == cursors)
  }

  // MARK: - Answers

  private var cursors: [String] { list.kept.reversed().map { list.cursor($0).description } }

  private static func cursors(of log: CommandLineHarness.Outcome) throws -> [String] {
    (try log.json() as? [NSDictionary] ?? []).compactMap { $0["cursor"] as? String }
  }

  private func checkAnswers() async throws {
    let list = list
    let log = try await succeed(["log", name.text, "--json"])
    try check("the log", Self.cursors(of: log) == cursors)
    let answerable = [0] + list.kept
    for version in answerable.suffix(4) {
      let shown = try await succeed(["show", "\(name)@\(version)"])
      let snapshot = try Snapshot(list.snapshots[version])
      try check("version \(version)", shown.output == SnapshotDocument.encode(snapshot))
      let other = random.element(of: answerable)
      let document = DeltaDocument(list.delta(version, other)).encoded()
      let delta = try await succeed(
        ["delta", name.text, "--since", "\(version)", "--to", "\(other)"])
      try check("the delta from \(version) to \(other)", delta.output == document)
      let diff = try await succeed(["diff", name.text, "\(version)", "\(other)", "--json"])
      try check("the diff from \(version) to \(other)", diff.output == document)
    }
    let replay = try await succeed(["replay", name.text, "--check"])
    let steps = zip(answerable, answerable.dropFirst()).flatMap {
      DeltaDocument(list.delta($0, $1)).encoded(.line)
    }
    try check("the replay", replay.output == steps)
    let verified = try await succeed(["verify", "--deep", "--json"]).json() as? NSDictionary
    try check("no faults", (verified?["faults"] as? [Any])?.isEmpty == true)
    let stats = try await succeed(["stats", "--json"]).json() as? NSDictionary
    try check("the versions counted", stats?["versions"] as? Int == list.kept.count)
  }

  private func check(_ words: String, _ isRight: Bool) throws {
    guard isRight else { throw Difference(description: "\(words) is not the twin's") }
  }

  private func succeed(
    _ arguments: [String], takesStore: Bool = true
  ) async throws -> CommandLineHarness.Outcome {
    let outcome = try await run(arguments, takesStore: takesStore)
    guard outcome.exitCode == 0 else { throw Difference(description: "\(outcome)") }
    return outcome
  }

  private func run(
    _ arguments: [String], takesStore: Bool = true
  ) async throws -> CommandLineHarness.Outcome {
    let words = arguments + (takesStore ? ["--store", storeName] : [])
    runs.append("listsync " + words.joined(separator: " "))
    return try await harness.run(words)
  }

  /// Runs a verb whose document or error must be the twin's.
  private func expect(
    _ arguments: [String], _ answer: () throws -> (NSDictionary) -> Bool
  ) async throws {
    let outcome = try await run(arguments)
    do {
      let isRight = try answer()
      guard outcome.exitCode == 0, let document = try outcome.json() as? NSDictionary,
        isRight(document)
      else { throw Difference(description: "not the twin's answer: \(outcome)") }
    } catch let refusal as ServiceError {
      let code: Int32 =
        switch refusal {
        case .noSuchItem, .itemAbsent, .noSuchList, .noSuchTag, .noSuchVersion, .noVersionAt: 3
        case .expectationFailed, .notTheStart: 4
        case .tooOld, .diverged: 5
        default: 1
        }
      guard outcome.exitCode == code else {
        throw Difference(description: "not exit \(code) for \(refusal): \(outcome)")
      }
    }
  }

  private func write(_ text: String, _ ending: String) throws -> String {
    fileCount += 1
    try harness.write(text, to: "\(fileCount)-\(ending)")
    return "\(fileCount)-\(ending)"
  }

  private func time() -> Timestamp {
    Timestamp(
      millisecondsSince1970: TestStore.noon.millisecondsSince1970
        + Int64(random.number(-1_000_000...1_000_000)) * 1_000)
  }

  private func dated(_ request: CommitRequest) -> [String] {
    ["--at", request.time.map { "\($0)" } ?? "", "--allow-earlier-date", "--json"]
  }
}
