import ArgumentParser
import ListChanges
import ListDocuments
import ListModel
import SyncService
import Terminal

struct Commit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "commit",
    abstract: "Makes a snapshot the next version of a list.",
    discussion: """
      The file is a JSON array, a JSON object that contains an array (--items), NDJSON or CSV. A \
      snapshot that equals the newest version makes no new version.

      EXAMPLE
        listsync commit parks parks.json -m "Spring update" --author ranger
        curl -s https://example.org/parks | listsync commit parks - --id code
        listsync commit films films.csv --title /Title
        listsync commit parks --delta change.json

      With --delta, the file is a delta document that starts from the newest version. The list \
      itself is not read, so the commit is fast for a long list, too.
      """)

  @Argument(help: .list, completion: .lists, transform: ListName.init(argument:)) var list: ListName
  @Argument(help: "The snapshot file, or - for standard input.", completion: .file()) var file:
    String?
  @Option(
    help: ArgumentHelp("A delta document instead, or - for standard input.", valueName: "file"),
    completion: .file())
  var delta: String?
  @OptionGroup var reading: ReadingOptions
  @Option(
    name: .customLong("title"),
    help: ArgumentHelp(
      "The member that is an item's title, as diff, log and blame show it; remembered.",
      valueName: "pointer"),
    transform: JSONPointer.init(argument:))
  var titlePath: JSONPointer?
  @OptionGroup var options: CommitOptions
  @Option(
    name: .customLong("max-removed"),
    help: ArgumentHelp(
      "Refuse to remove more items than this, such as 100, 20% or none; remembered.",
      valueName: "limit"),
    transform: RemovalLimit.init(argument:))
  var removalLimit: RemovalLimit?
  @Flag(
    name: .customLong("force-removed"),
    help: "Remove any number of items with this commit.")
  var forcesRemovals = false
  @Flag(
    name: .customLong("begin-again"),
    help: "Begin a new list under the name of one that was dropped or renamed.")
  var beginsAgain = false
  @Flag(name: .customLong("dry-run"), help: "Show the changes without committing them.")
  var isDryRun = false
  @OptionGroup var store: StoreArguments
  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    guard (file == nil) != (delta == nil) else {
      throw ValidationError("name a snapshot file, or a delta document with --delta.")
    }
  }

  func run() async throws {
    let session = StoreSession(store, for: isDryRun ? .reading : .writing)
    let make = try requestMaker()
    if isDryRun {
      try answer.write(await preview(make, session), of: list)
    } else {
      let (outcome, isMergeDue) = try await commit(make, session)
      try answer.write(outcome, of: list)
      if isMergeDue { try await session.serviceOrNew().compactAfterwards(list) }
    }
  }

  /// Reads the file. Its items are parsed by the rule that the list remembers, so the request is
  /// made when that is known.
  private func requestMaker() throws -> @Sendable (_ idRule: String?) throws -> CommitRequest {
    if let delta {
      let request = completed(CommitRequest(list: list, try changes(in: delta)))
      return { _ in request }
    }
    let input = try reading.input(file ?? "-")
    return { remembered in
      let rule = try reading.rule(remembered: remembered)
      let read = try reading.outline(input, rule: rule)
      if read.leftOutCount > 0 {
        let items = Wording.count(read.leftOutCount, "item")
        Output.diagnostic("left out \(items) with a repeated id or none")
      }
      var request = completed(CommitRequest(list: list, .whole(read.outline)))
      request.idRule = try reading.givenRule()?.text
      Self.keepUntilExit(request)
      return request
    }
  }

  private func completed(_ request: CommitRequest) -> CommitRequest {
    var request = request
    options.complete(&request)
    (request.beginsAgain, request.titlePath) = (beginsAgain, titlePath)
    (request.removalLimit, request.forcesRemovals) = (removalLimit, forcesRemovals)
    return request
  }

  private func changes(in file: String) throws -> CommitRequest.Content {
    let limits = try Settings.limits()
    let bytes = try InputFile.bytes(of: file, limits: limits)
    do {
      let document = try ChangesToCommit(bytes, limits: limits)
      return .changes(document.changes, from: document.from, to: document.to)
    } catch {
      throw VerbError.refused(file, error)
    }
  }

  /// Leaks the list until the process exits: freeing a million small pieces takes time.
  private static func keepUntilExit(_ request: CommitRequest) {
    _ = Unmanaged.passRetained(request as AnyObject)
  }

  private func preview(
    _ make: (_ idRule: String?) throws -> CommitRequest, _ session: StoreSession
  ) async throws -> Delta {
    guard let service = try session.serviceIfThere() else {
      return try SyncService.previewWithoutStore(make(nil))
    }
    return try await service.preview(make(service.idRule(of: list)))
  }

  private func commit(
    _ make: @escaping @Sendable (_ idRule: String?) throws -> CommitRequest,
    _ session: StoreSession
  ) async throws -> (outcome: CommitOutcome, isMergeDue: Bool) {
    let progress = ProgressLine("committing")
    defer { progress.finish() }
    var make = make
    if try session.serviceIfThere() == nil {
      // Don't create a store for a commit that will fail.
      let request = try make(nil)
      try SyncService.checkWithoutStore(request)
      make = { _ in request }
    }
    let service = try session.serviceOrNew()
    return try await service.commit(to: list) { stage in
      progress.show(stage.rawValue)
    } _: { [make] in
      try make($0)
    }
  }
}

extension AnswerOptions {
  /// Writes the changes that a commit would make.
  func write(_ preview: Delta, of list: ListName) throws {
    if isJSON { return try Output.delta(preview) }
    let changes = Wording.changes(ChangeCounts(preview.changes))
    let result = preview.changes.isEmpty ? "unchanged" : "would change: \(changes)"
    let items = Wording.count(preview.to.count, "item")
    try Output.line("\(list) \(Wording.state(preview.from)): \(result); \(items)")
  }

  /// Writes the outcome of a commit.
  func write(_ outcome: CommitOutcome, of name: ListName) throws {
    let result =
      switch outcome {
      case .committed(let record): Wording.changes(record.changes)
      case .found(_, isOwn: true): "committed before"
      case .found(_, isOwn: false), .unchanged: "unchanged"
      }
    let items = Wording.count(outcome.state.count, "item")
    try write("\(name) \(Wording.state(outcome.state)): \(result); \(items)") { writer in
      writer.member("list", name.text)
      writer.members(of: outcome)
    }
  }
}

extension RemovalLimit: ArgumentValue {
  package static var argumentRule: String { "write \(rule)." }
}
