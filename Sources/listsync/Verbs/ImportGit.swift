import ArgumentParser
import GitHistory
import ListDocuments
import ListModel
import ListStore
import SyncService

struct ImportGit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import-git",
    abstract: "Makes every commit that changed a file a version of a list.",
    discussion: """
      Imports the commits of the branch itself (first parents), oldest first. Each version has its \
      commit's author, message and committer date. A commit is reported and skipped if its file is \
      not a valid snapshot, or if it removes the file. A run that skips all its commits exits \
      with 1. The next run continues where this one ended. Renames are not followed: import the \
      old path, then the new one into the same list.

      A version whose file may have come back short is reported, and imported: one that removes \
      more than the list's --max-removed allows, or without it ten items and more than half.

      If the versions of the list were committed or came in a bundle, name the commit of the \
      newest version once with --from.

      EXAMPLE
        listsync import-git ~/park-data data/parks.json --list parks --id code
        listsync import-git ~/park-data data/parks.json --list parks --from v1.2
      """)

  @Argument(help: "A clone or a bare repository.", completion: .directory) var repository: String
  @Argument(help: "The file, from the repository's root.") var path: String
  @Option(
    name: .customLong("list"),
    help: ArgumentHelp(
      "The list's name (default: the file's name without its ending).", valueName: "name"),
    completion: .lists, transform: ListName.init(argument:))
  var givenName: ListName?
  @Option(help: ArgumentHelp("The branch, tag or commit to import.", valueName: "ref"))
  var ref = "HEAD"
  @Option(
    help: ArgumentHelp(
      "The commit of the list's newest version, if that was not imported.",
      valueName: "commit"))
  var from: String?
  @OptionGroup var reading: ReadingOptions
  @Flag(name: .customLong("strict"), help: "Stop at the first commit that is not a valid snapshot.")
  var isStrict = false
  @Flag(
    name: .customLong("skip-missing"),
    help: "Skip a commit whose file the repository does not hold, as in a partial clone.")
  var skipsMissing = false
  @OptionGroup var store: StoreArguments
  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    do {
      try await importCommits()
    } catch ServiceError.gone(let former) {
      throw VerbError.gone(
        former, bringBack: "import it with --list OTHER",
        toNewName: { "Import into that list with --list \($0)." })
    }
  }

  private func importCommits() async throws {
    let name = try listName()
    let git = try GitRepository(at: repository)
    let source = "git:" + (try GitRepository.normalised(path))
    let session = StoreSession(store, for: .writing)
    let service = try session.serviceIfThere()
    let stored = try await service?.importPosition(of: source, in: name)
    let start = try await startCommit(of: name, in: git, service, stored: stored)
    let position = stored ?? start
    let remembered = try await service?.idRule(of: name)
    let options = try reading.options(rule: reading.rule(remembered: remembered))
    let history = try git.history(of: path, at: ref, after: position)
    let missing = skipsMissing ? try git.missingBlobs(of: path, at: ref) : []
    let report = ImportReport(commitCount: history.count)
    let versions = try GitVersions(
      history, of: path, in: git, options: options, isStrict: isStrict,
      missing: missing, report: report)
    if let start { try await record(start, of: source, in: name, session) }
    var request = ImportRequest(list: name, source: source, after: position)
    request.idRule = try reading.givenRule()?.text
    let tally = try await store(versions, request, report, session)
    let head = try await write(tally, report, of: name, session)
    if tally.skippedCount > 0, tally.skippedCount == tally.stateCount {
      throw VerbError.allSkipped(tally.skippedCount, in: name, head: head.version)
    }
  }

  /// The commit that --from names; nil without --from.
  private func startCommit(
    of name: ListName, in git: GitRepository, _ service: SyncService?, stored: String?
  ) async throws -> String? {
    guard let from else { return nil }
    if let stored {
      throw ValidationError(
        "--from: \(name) was imported up to commit \(stored), and continues there.")
    }
    let lists = try await service?.lists() ?? []
    guard lists.contains(where: { $0.name == name && $0.head != .zero }) else {
      throw ValidationError("--from: \(name) has no versions yet.")
    }
    return try git.commit(named: from)
  }

  /// Records that the newest version of the list comes from a commit.
  private func record(
    _ commit: String, of source: String, in name: ListName, _ session: StoreSession
  ) async throws {
    var request = ImportRequest(list: name, source: source, after: nil)
    request.goesOnFromVersions = true
    _ = try await session.serviceOrNew().importStates(request, from: ReachedCommit(commit: commit))
  }

  private func store(
    _ versions: sending GitVersions, _ request: ImportRequest, _ report: ImportReport,
    _ session: StoreSession
  ) async throws -> ImportTally {
    defer { report.finish() }
    // Don't create a store when there is nothing to import.
    if report.commitCount == 0 { return ImportTally() }
    return try await session.serviceOrNew().importStates(request, from: versions) {
      report.show($0)
    }
  }

  private func listName() throws -> ListName {
    if let givenName { return givenName }
    let file = path.split(separator: "/").last ?? ""
    let stem = file.lastIndex(of: ".").map { file[..<$0] } ?? file
    guard let name = ListName(String(stem)) else {
      throw ValidationError(
        "'\(Output.printable(String(stem)))' is not a list name: name one with --list.")
    }
    return name
  }

  private func write(
    _ tally: ImportTally, _ report: ImportReport, of name: ListName, _ session: StoreSession
  ) async throws -> ListState {
    let lists = try await session.serviceIfThere()?.lists() ?? []
    let head = lists.first { $0.name == name }?.head ?? .zero
    let commits = report.commitCount == 0 ? "no new commit" : Self.words(for: tally)
    let items = Wording.count(head.count, "item")
    if report.leftOutCount > 0, !answer.isJSON {
      let items = Wording.count(report.leftOutCount, "item")
      Output.diagnostic("left out \(items) of all versions with a repeated id or none")
    }
    Self.report(tally.largeRemovals)
    try answer.write("\(name) \(Wording.state(head)): \(commits); \(items)") { writer in
      writer.member("list", name.text)
      writer.member("head", head)
      writer.member("commits", report.commitCount)
      writer.member("versions", tally.versionCount)
      writer.member("unchanged", tally.unchangedCount)
      writer.member("left_out", report.leftOutCount)
      writer.objects("skipped", report.skipped) { writer, skip in
        writer.member("commit", skip.commit)
        writer.member("reason", skip.reason)
      }
    }
    return head
  }

  /// Reports versions whose files may have come back short.
  private static func report(_ removals: [LargeRemoval]) {
    for removal in removals.prefix(10) {
      let (version, commit) = (removal.version, removal.position.prefix(12))
      Output.diagnostic(
        """
        version \(version.version), \(Wording.time(version.note.time)), commit \(commit) removes \
        \(version.changes.removed) of \(Wording.count(removal.oldCount, "item"))
        """)
    }
    if removals.count > 10 {
      Output.diagnostic("and \(Wording.count(removals.count - 10, "more such version"))")
    }
  }

  private static func words(for tally: ImportTally) -> String {
    let others = [(tally.unchangedCount, "unchanged"), (tally.skippedCount, "skipped")]
    let rest = others.filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }.joined()
    let commits = Wording.count(tally.stateCount, "commit")
    return "\(Wording.count(tally.versionCount, "version")) from \(commits)\(rest)"
  }
}

/// A commit whose content the list already has.
private struct ReachedCommit: ImportSource {
  var commit: String?

  mutating func next() -> ImportedState? {
    defer { commit = nil }
    return commit.map { ImportedState(position: $0, content: .unchanged) }
  }
}
