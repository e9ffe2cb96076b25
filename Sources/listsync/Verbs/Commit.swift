import ArgumentParser
import Foundation
import ListDocuments
import ListModel
import SyncService

struct Commit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes a snapshot the next version of a list.",
    discussion: """
      The file is a JSON array, a JSON object with an array in it (--items), NDJSON or CSV. A \
      snapshot that equals the newest version makes no version.

      EXAMPLE
        listsync commit parks parks.json -m "Spring update" --author ranger
        curl -s https://example.org/parks | listsync commit parks - --id code
      """)

  @Argument(help: .list) var list: String
  @Argument(help: "The snapshot file, or - for standard input.") var file: String
  @OptionGroup var reading: ReadingOptions
  @Option(name: .shortAndLong, help: "Why the list changed.") var message: String?
  @Option(help: "Who changed it.") var author: String?
  @Option(
    name: .customLong("at"),
    help: ArgumentHelp(
      "When it changed: a day or an RFC 3339 time (default: now).", valueName: "time"))
  var time: String?
  @Option(
    help: ArgumentHelp(
      """
      The version that you have seen; anything else at the head refuses the commit. 0: a new list.
      """, valueName: "cursor"))
  var expect: String?
  @Flag(name: .customLong("dry-run"), help: "Tell what would change, and change nothing.")
  var isDryRun = false
  @OptionGroup var store: StoreOptions
  @Flag(help: .json) var json = false

  func run() async throws {
    let name = try ListName(argument: list)
    let (expected, time) = (try expectation(), try commitTime())
    let rule = try reading.givenRule()
    let remembered = rule == nil ? try await rememberedRule(of: name) : nil
    let read = try reading.read(file, rule: rule ?? remembered ?? .standard)
    if read.leftOutCount > 0 {
      Output.note("left out \(Wording.count(read.leftOutCount, "item")) with a repeated id or none")
    }
    var request = CommitRequest(list: name, snapshot: read.snapshot)
    request.expected = expected
    request.author = author
    request.message = message
    request.time = time
    request.idRule = rule?.text
    if isDryRun {
      try report(await preview(request))
    } else {
      try report(await commit(request), of: name)
    }
  }

  private func preview(_ request: CommitRequest) async throws -> Delta {
    guard let service = try store.serviceIfThere() else {
      return try SyncService.previewWithoutStore(request)
    }
    return try await service.preview(request)
  }

  private func commit(_ request: CommitRequest) async throws -> CommitOutcome {
    let progress = ProgressLine("committing \(Wording.count(request.snapshot.items.count, "item"))")
    defer { progress.finish() }
    // What is refused anyway makes no store.
    if try store.serviceIfThere() == nil { _ = try SyncService.previewWithoutStore(request) }
    return try await store.writingService().commit(request) { stage in
      progress.show(stage.rawValue)
    }
  }

  /// What the list's last commits said; nil where there is no store, no list or no rule yet.
  private func rememberedRule(of name: ListName) async throws -> IDRule? {
    try await store.serviceIfThere()?.idRule(of: name).flatMap(IDRule.init(text:))
  }

  private func expectation() throws -> CommitRequest.Expectation? {
    guard let expect else { return nil }
    guard let expectation = CommitRequest.Expectation(expect) else {
      throw ValidationError("--expect: '\(expect)' is not a cursor; write 7 or 7-3f9a1c2b7d40.")
    }
    return expectation
  }

  private func commitTime() throws -> Timestamp? {
    guard let time else { return nil }
    guard let written = Timestamp.read(time) else {
      throw ValidationError(
        "--at: '\(time)' is not a time; write 2026-11-21 or 2026-11-21T11:37:00Z.")
    }
    return written.start
  }

  private func report(_ outcome: CommitOutcome, of name: ListName) throws {
    if json { return try Output.write(Self.document(outcome, of: name)) }
    let state = "\(name) \(Wording.state(outcome.state))"
    let items = Wording.count(outcome.state.count, "item")
    switch outcome {
    case .committed(let record):
      try Output.line("\(state): \(Wording.changes(record.changes)); \(items)")
    case .unchanged: try Output.line("\(state): unchanged; \(items)")
    }
  }

  private func report(_ preview: Delta) throws {
    if json { return try Output.write(DeltaDocument(preview).encoded()) }
    let changes = Wording.changes(ChangeCounts(preview.changes))
    let items = Wording.count(preview.to.count, "item")
    try Output.line("\(list) \(Wording.state(preview.from)): would change: \(changes); \(items)")
  }

  private static func document(_ outcome: CommitOutcome, of name: ListName) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("list", name.text)
      switch outcome {
      case .committed(let record):
        writer.member("outcome", "committed")
        writer.member("head", record.state)
        writer.member("changes", record.changes)
      case .unchanged(let state):
        writer.member("outcome", "unchanged")
        writer.member("head", state)
      }
    }
    return writer.bytes + "\n".utf8
  }
}

extension JSONWriter {
  mutating func member(_ name: String, _ counts: ChangeCounts) {
    member(
      name,
      object: { writer in
        writer.member("removed", counts.removed)
        writer.member("moved", counts.moved)
        writer.member("inserted", counts.inserted)
        writer.member("updated", counts.updated)
      })
  }
}
