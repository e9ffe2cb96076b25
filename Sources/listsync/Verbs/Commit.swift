import ArgumentParser
import ListChanges
import ListDocuments
import ListModel
import SyncService

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
        listsync commit parks parks.json --base 7-3f9a1c2b7d40

      With --delta, the file is a delta document that starts from the newest version. The list \
      itself is not read, so the commit is fast for a long list, too.

      With --base, the file was made from that version. If there are newer ones, the changes of \
      both sides are merged: items by their ids, contents by their members. Conflicts are shown \
      with their values, and nothing is stored, unless --prefer decides them. --rebase does the \
      same with a delta document, which names its base.
      """)

  @Argument(help: .list, completion: .lists, transform: ListName.init(argument:)) var list: ListName
  @Argument(help: "The snapshot file, or - for standard input.", completion: .file()) var file:
    String?
  @Option(
    help: ArgumentHelp("A delta document instead, or - for standard input.", valueName: "file"),
    completion: .file())
  var delta: String?
  @OptionGroup var reading: ReadingOptions
  @Flag(
    name: .customLong("new-ids"),
    help: "Allow another --id than before to give all items other ids.")
  var allowsNewIDs = false
  @Option(
    name: .customLong("title"),
    help: ArgumentHelp(
      "The member that is an item's title, as diff, log and blame show it; remembered.",
      valueName: "pointer"),
    transform: JSONPointer.init(argument:))
  var titlePath: JSONPointer?
  @OptionGroup var options: CommitOptions
  @OptionGroup var merging: MergeOptions
  @Flag(
    name: .customLong("rebase"),
    help: "Merge the delta document if it starts from an older version.")
  var isRebase = false
  @OptionGroup var limits: LimitOptions
  @OptionGroup var same: SameItemOptions
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
    if isRebase, delta == nil {
      throw ValidationError("--rebase is for a delta document: name a file's version with --base.")
    }
    if merging.base != nil, delta != nil {
      throw ValidationError("a delta document names its base: merge it with --rebase.")
    }
    try merging.validate(with: options, isRebase: isRebase)
  }

  func run() async throws {
    let session = StoreSession(store, for: isDryRun ? .reading : .writing)
    let rules = NewRule()
    let make = rules.noting(try requestMaker())
    try await VerbError.namingBase(of: list, isMerge: merging.base != nil || isRebase) {
      if isDryRun {
        let merge = try await preview(make, session)
        try answer.write(merge.delta, merge.report, of: list)
        rules.tell(of: list, merge.delta.changes)
        RewritingNotice(merge.delta.changes)?.tell()
      } else {
        let (outcome, isMergeDue, changes) = try await commit(make, session)
        try answer.write(outcome, of: list)
        if let changes { rules.tell(of: list, changes) }
        changes.flatMap { RewritingNotice($0) }?.tell(undoing: list, outcome.state.cursor)
        if isMergeDue { try await session.serviceOrNew().compactAfterwards(list) }
      }
    }
  }

  /// Reads the file. Its items are parsed by the rule that the list remembers, so the request is
  /// made when that is known.
  private func requestMaker() throws -> @Sendable (_ idRule: String?) throws -> CommitRequest {
    let same = try self.same.all()
    if let delta {
      var request = completed(CommitRequest(list: list, try changes(in: delta)), same)
      if isRebase { try rebase(&request) }
      return { [request] _ in request }
    }
    let input = try reading.input(file ?? "-")
    return { remembered in
      let rule = try reading.rule(remembered: remembered)
      let read = try reading.outline(input, rule: rule)
      if read.leftOutCount > 0 {
        let items = Wording.count(read.leftOutCount, "item")
        Output.diagnostic("left out \(items) with a repeated id or none")
      }
      var request = completed(CommitRequest(list: list, .whole(read.outline)), same)
      request.idRule = try reading.givenRule()?.text
      Self.keepUntilExit(request)
      return request
    }
  }

  private func completed(_ request: CommitRequest, _ same: [SameItem]) -> CommitRequest {
    var request = request
    options.complete(&request)
    merging.complete(&request)
    (request.beginsAgain, request.titlePath) = (beginsAgain, titlePath)
    request.allowsNewIDs = allowsNewIDs
    limits.complete(&request)
    // The request has its message.
    if !same.isEmpty { request.identify(same) }
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

  private func rebase(_ request: inout CommitRequest) throws {
    guard case .changes(_, let start, _) = request.content, let cursor = start.cursor else {
      throw ValidationError(
        "--rebase: the delta document does not say from which cursor it starts.")
    }
    request.merge(from: .cursor(cursor), preferring: merging.side)
  }

  /// Leaks the list until the process exits: freeing a million small pieces takes time.
  private static func keepUntilExit(_ request: CommitRequest) {
    _ = Unmanaged.passRetained(request as AnyObject)
  }

  private func preview(
    _ make: (_ idRule: String?) throws -> CommitRequest, _ session: StoreSession
  ) async throws -> (delta: Delta, report: MergeReport?) {
    guard let service = try session.serviceIfThere() else {
      return (try SyncService.previewWithoutStore(make(nil)), nil)
    }
    return try await service.previewMerge(make(service.idRule(of: list)))
  }

  private func commit(
    _ make: @escaping @Sendable (_ idRule: String?) throws -> CommitRequest,
    _ session: StoreSession
  ) async throws -> (outcome: CommitOutcome, isMergeDue: Bool, changes: ChangeSet<Item>?) {
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
  ///
  /// - Parameter report: what each side changed, if the commit would be merged.
  func write(_ preview: Delta, _ report: MergeReport? = nil, of list: ListName) throws {
    if isJSON { return try Output.delta(preview) }
    let changes = Wording.changes(ChangeCounts(preview.changes))
    let verb = report == nil ? "would change" : "would merge"
    let result = preview.changes.isEmpty ? "unchanged" : "\(verb): \(changes)"
    let items = Wording.count(preview.to.count, "item")
    try Output.line("\(list) \(Wording.state(preview.from)): \(result); \(items)")
    for line in report?.lines ?? [] { try Output.line(line) }
  }

  /// Writes the outcome of a commit.
  func write(_ outcome: CommitOutcome, of name: ListName) throws {
    let result =
      switch outcome {
      case .committed(let record): Wording.changes(record.changes)
      case .found(_, isOwn: true): "committed before"
      case .merged(let record?, _, _): "merged: \(Wording.changes(record.changes))"
      case .found(_, isOwn: false), .unchanged, .merged: "unchanged"
      }
    let items = Wording.count(outcome.state.count, "item")
    var lines = ["\(name) \(Wording.state(outcome.state)): \(result); \(items)"]
    if case .merged(_, _, let report) = outcome { lines += report.lines }
    try write(lines.joined(separator: "\n")) { writer in
      writer.member("list", name.text)
      writer.members(of: outcome)
    }
  }
}
