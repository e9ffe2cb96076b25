import ArgumentParser
import GitHistory
import ListDocuments
import ListModel
import SyncService
import Terminal

struct ImportGit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import-git",
    abstract: "Makes every commit that touched a file a version of a list.",
    discussion: """
      The commits are those of the branch itself (first parents), oldest first; each version has \
      its commit's author, message and committer date. A commit whose file is no valid snapshot, \
      or that removes the file, is reported and skipped. The next run goes on where this one \
      ended. Renames are not followed: import the old path, and then the new one into the same \
      list.

      A list whose versions came in a bundle, or were committed, does not know which commit it \
      stands at: --from names it once.

      EXAMPLE
        listsync import-git ~/park-data data/parks.json --list parks --id code
        listsync import-git ~/park-data data/parks.json --list parks --from v1.2
      """)

  @Argument(help: "A clone or a bare repository.") var repository: String
  @Argument(help: "The file, from the repository's root.") var path: String
  @Option(
    name: .customLong("list"),
    help: ArgumentHelp(
      "The list's name (default: the file's, without its ending).",
      valueName: "name"))
  var givenName: String?
  @Option(help: ArgumentHelp("The branch, tag or commit whose history it is.", valueName: "ref"))
  var ref = "HEAD"
  @Option(
    help: ArgumentHelp(
      "The commit that the list's newest version comes from, where it was not imported.",
      valueName: "commit"))
  var from: String?
  @OptionGroup var reading: ReadingOptions
  @Flag(name: .customLong("strict"), help: "Stop at the first commit that is no valid snapshot.")
  var isStrict = false
  @OptionGroup var store: StoreOptions
  @Flag(help: .json) var json = false

  func run() async throws {
    let name = try listName()
    let rule = try reading.givenRule()
    let git = try GitRepository(at: repository)
    let source = "git:" + (try GitRepository.normalised(path))
    let session = StoreSession(store, for: .writing)
    let (position, start, remembered) = try await known(of: name, from: source, in: git, session)
    let options = try reading.options(
      rule: rule ?? remembered.flatMap(IDRule.init(text:)) ?? .standard)

    let history = try git.history(of: path, at: ref, after: position)
    let report = ImportReport(commitCount: history.count)
    let versions = try GitVersions(
      history, of: path, in: git, options: options, isStrict: isStrict, report: report)
    if let start { try await note(start, of: source, in: name, session) }
    var request = ImportRequest(list: name, source: source, after: position)
    request.idRule = rule?.text
    let tally = try await store(versions, request, report, session)
    try await show(tally, report, of: name, session)
  }

  /// Where the import goes on, the commit that --from names, and the id rule that the list
  /// remembers.
  private func known(
    of name: ListName, from source: String, in git: GitRepository, _ session: StoreSession
  ) async throws -> (position: String?, start: String?, idRule: String?) {
    let service = try session.serviceIfThere()
    let stored = try await service?.importPosition(of: source, in: name)
    let start = try await startCommit(of: name, in: git, service, stored: stored)
    return (stored ?? start, start, try await service?.idRule(of: name))
  }

  /// The commit that --from names; nil where it is not given.
  private func startCommit(
    of name: ListName, in git: GitRepository, _ service: SyncService?, stored: String?
  ) async throws -> String? {
    guard let from else { return nil }
    if let stored {
      throw ValidationError(
        "--from: \(name) was imported up to commit \(stored), and goes on there.")
    }
    let lists = try await service?.lists() ?? []
    guard lists.contains(where: { $0.name == name && $0.head != .zero }) else {
      throw ValidationError("--from: \(name) has no versions that a commit could go on from.")
    }
    return try git.commit(named: from)
  }

  /// Notes that the list stands at a commit.
  private func note(
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
    // Nothing new makes no store.
    if report.commitCount == 0 { return ImportTally() }
    return try await session.serviceOrNew().importStates(request, from: versions) { tally in
      report.show(tally)
    }
  }

  private func listName() throws -> ListName {
    if let givenName { return try ListName(argument: givenName) }
    let file = path.split(separator: "/").last ?? ""
    let stem = file.lastIndex(of: ".").map { file[..<$0] } ?? file
    guard let name = ListName(String(stem)) else {
      throw ValidationError(
        "'\(Output.printable(String(stem)))' is not a list name: give one with --list.")
    }
    return name
  }

  private func show(
    _ tally: ImportTally, _ report: ImportReport, of name: ListName, _ session: StoreSession
  ) async throws {
    let lists = try await session.serviceIfThere()?.lists() ?? []
    let head = lists.first { $0.name == name }?.head ?? .zero
    let commits = report.commitCount == 0 ? "no new commit" : Self.words(for: tally)
    let items = Wording.count(head.count, "item")
    let line = "\(name) \(Wording.state(head)): \(commits); \(items)"
    if json {
      return try Output.answer(keeping: line) {
        try Output.write(Self.document(tally, report, head, of: name))
      }
    }
    if report.leftOutCount > 0 {
      let items = Wording.count(report.leftOutCount, "item")
      Output.note("left out \(items) with a repeated id or none, in all versions together")
    }
    try Output.answer(keeping: line) { try Output.line(line) }
  }

  private static func words(for tally: ImportTally) -> String {
    let parts = [
      (tally.unchangedCount, "unchanged"), (tally.skippedCount, "skipped"),
    ]
    let rest = parts.filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }.joined()
    let commits = Wording.count(tally.stateCount, "commit")
    return "\(Wording.count(tally.versionCount, "version")) from \(commits)\(rest)"
  }

  private static func document(
    _ tally: ImportTally, _ report: ImportReport, _ head: ListState, of name: ListName
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("list", name.text)
      writer.member("head", head)
      writer.member("commits", report.commitCount)
      writer.member("versions", tally.versionCount)
      writer.member("unchanged", tally.unchangedCount)
      writer.member("leftOut", report.leftOutCount)
      writer.member(
        "skipped",
        array: { writer in
          for skip in report.skipped {
            writer.object { writer in
              writer.member("commit", skip.commit)
              writer.member("reason", skip.reason)
            }
          }
        })
    }
    return writer.bytes + "\n".utf8
  }
}

/// A commit whose content a list has already.
private struct ReachedCommit: ImportSource {
  var commit: String?

  mutating func next() -> ImportedState? {
    defer { commit = nil }
    return commit.map { ImportedState(position: $0, content: .unchanged) }
  }
}
