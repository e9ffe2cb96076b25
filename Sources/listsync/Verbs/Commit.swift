import ArgumentParser
import Foundation
import ListDocuments
import ListModel
import SyncService
import Terminal

struct Commit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes a snapshot the next version of a list.",
    discussion: """
      The file is a JSON array, a JSON object with an array in it (--items), NDJSON or CSV. A \
      snapshot that equals the newest version makes no version.

      EXAMPLE
        listsync commit parks parks.json -m "Spring update" --author ranger
        curl -s https://example.org/parks | listsync commit parks - --id code
        listsync commit parks --delta change.json

      With --delta, the file is a delta document that starts from the newest version; the list \
      is not read, however long it is.
      """)

  @Argument(help: .list) var list: String
  @Argument(help: "The snapshot file, or - for standard input.") var file: String?
  @Option(
    help: ArgumentHelp("A delta document instead, or - for standard input.", valueName: "file"))
  var delta: String?
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

  func validate() throws {
    guard (file == nil) != (delta == nil) else {
      throw ValidationError("name a snapshot file, or a delta document with --delta.")
    }
    if delta != nil, isDryRun { throw ValidationError("--dry-run is for snapshot files.") }
  }

  func run() async throws {
    let name = try ListName(argument: list)
    let (expected, time) = (
      try CommitRequest.Expectation(argument: expect), try Timestamp(argument: time, of: "--at")
    )
    if let delta {
      try await commitDelta(delta, to: name, expected, time)
    } else if let file {
      try await commitSnapshot(file, to: name, expected, time)
    }
  }

  private func commitDelta(
    _ file: String, to name: ListName, _ expected: CommitRequest.Expectation?, _ time: Timestamp?
  ) async throws {
    let limits = try Settings.limits()
    let bytes = try InputFile(file).bytes(limits: limits)
    let document: DeltaDocument
    do {
      document = try DeltaDocument(bytes, limits: limits)
    } catch {
      throw UnreadableDelta(file: file, error: error)
    }
    var request = DeltaCommitRequest(
      list: name, changes: document.changes, from: document.from, to: document.to)
    request.expected = expected
    request.author = author
    request.message = message
    request.time = time
    let outcome = try await store.writingService().commit(request)
    try CommitReport(outcome, of: name).write(asJSON: json)
  }

  private func commitSnapshot(
    _ file: String, to name: ListName, _ expected: CommitRequest.Expectation?, _ time: Timestamp?
  ) async throws {
    let rule = try reading.givenRule()
    let remembered = rule == nil ? try await rememberedRule(of: name) : nil
    // The list and the file are read side by side; what the list lacks, the commit tells.
    async let held = isDryRun ? nil : heldHead(of: name)
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
      let head = try? await held
      Self.keepToTheEnd((request, head))
      try CommitReport(await commit(request, holding: head), of: name).write(asJSON: json)
    }
  }

  /// The reader is closed when this returns: on a full disk it has the store for itself, and the
  /// commit would wait for it.
  private func heldHead(of name: ListName) async throws -> HeldSnapshot? {
    try await store.serviceIfThere()?.holdHead(of: name)
  }

  /// Keeps what is about to end with the process: to free two million small pieces takes a tenth of
  /// a large commit.
  private static func keepToTheEnd(_ lists: (CommitRequest, HeldSnapshot?)) {
    final class Keeper {
      let lists: (CommitRequest, HeldSnapshot?)
      init(_ lists: (CommitRequest, HeldSnapshot?)) { self.lists = lists }
    }
    _ = Unmanaged.passRetained(Keeper(lists))
  }

  private func preview(_ request: CommitRequest) async throws -> Delta {
    guard let service = try store.serviceIfThere() else {
      return try SyncService.previewWithoutStore(request)
    }
    return try await service.preview(request)
  }

  private func commit(
    _ request: CommitRequest, holding held: HeldSnapshot?
  ) async throws -> CommitOutcome {
    let progress = ProgressLine("committing \(Wording.count(request.snapshot.items.count, "item"))")
    defer { progress.finish() }
    // What is refused anyway makes no store.
    if try store.serviceIfThere() == nil { try SyncService.checkWithoutStore(request) }
    return try await store.writingService().commit(request, holding: held) { stage in
      progress.show(stage.rawValue)
    }
  }

  /// What the list's last commits said; nil where there is no store, no list or no rule yet.
  private func rememberedRule(of name: ListName) async throws -> IDRule? {
    try await store.serviceIfThere()?.idRule(of: name).flatMap(IDRule.init(text:))
  }

  private func report(_ preview: Delta) throws {
    if json { return try Output.write(DeltaDocument(preview).encoded()) }
    let changes = Wording.changes(ChangeCounts(preview.changes))
    let items = Wording.count(preview.to.count, "item")
    try Output.line("\(list) \(Wording.state(preview.from)): would change: \(changes); \(items)")
  }
}

/// A delta document that was refused, with its name.
struct UnreadableDelta: Error {
  let file: String
  let error: DeltaError
}
