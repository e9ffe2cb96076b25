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
  @OptionGroup var options: CommitOptions
  @Flag(name: .customLong("dry-run"), help: "Tell what would change, and change nothing.")
  var isDryRun = false
  @OptionGroup var store: StoreOptions
  @Flag(help: .json) var json = false

  func validate() throws {
    guard (file == nil) != (delta == nil) else {
      throw ValidationError("name a snapshot file, or a delta document with --delta.")
    }
    try options.check()
  }

  func run() async throws {
    let name = try ListName(argument: list)
    var request: CommitRequest
    var held: HeldSnapshot?
    let session = StoreSession(store, for: isDryRun ? .reading : .writing)
    if let delta {
      request = CommitRequest(list: name, try changes(in: delta))
    } else {
      (request, held) = try await snapshotRequest(file ?? "-", to: name, session)
    }
    try options.complete(&request)
    if isDryRun {
      try report(await preview(request, session))
    } else {
      Self.keepToTheEnd((request, held))
      try CommitReport(await commit(request, holding: held, session), of: name).write(asJSON: json)
    }
  }

  private func changes(in file: String) throws -> CommitRequest.Content {
    let limits = try Settings.limits()
    do {
      let document = try DeltaDocument(try InputFile(file).bytes(limits: limits), limits: limits)
      return .changes(document.changes, from: document.from, to: document.to)
    } catch let error as DeltaError {
      throw UnreadableDelta(file: file, error: error)
    }
  }

  private func snapshotRequest(
    _ file: String, to name: ListName, _ session: StoreSession
  ) async throws -> (CommitRequest, HeldSnapshot?) {
    let rule = try reading.givenRule()
    let service = try session.serviceIfThere()
    let remembered =
      rule == nil ? try await service?.idRule(of: name).flatMap(IDRule.init(text:)) : nil
    // The list and the file are read side by side; what the list lacks, the commit tells.
    async let held = isDryRun ? nil : service?.holdHead(of: name)
    let read = try reading.read(file, rule: rule ?? remembered ?? .standard)
    if read.leftOutCount > 0 {
      Output.note("left out \(Wording.count(read.leftOutCount, "item")) with a repeated id or none")
    }
    var request = CommitRequest(list: name, snapshot: read.snapshot)
    request.idRule = rule?.text
    return (request, try? await held)
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

  private func preview(
    _ request: CommitRequest, _ session: StoreSession
  ) async throws -> Delta {
    guard let service = try session.serviceIfThere() else {
      return try SyncService.previewWithoutStore(request)
    }
    return try await service.preview(request)
  }

  private func commit(
    _ request: CommitRequest, holding held: HeldSnapshot?, _ session: StoreSession
  ) async throws -> CommitOutcome {
    let progress = ProgressLine("committing")
    defer { progress.finish() }
    // What is refused anyway makes no store.
    if try session.serviceIfThere() == nil { try SyncService.checkWithoutStore(request) }
    return try await session.serviceOrNew().commit(request, holding: held) { stage in
      progress.show(stage.rawValue)
    }
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
