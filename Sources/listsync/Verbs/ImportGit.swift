import ArgumentParser
import GitHistory
import ListDocuments
import ListModel
import SyncService

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

      EXAMPLE
        listsync import-git ~/park-data data/parks.json --list parks --id code
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
  @OptionGroup var reading: ReadingOptions
  @Flag(name: .customLong("strict"), help: "Stop at the first commit that is no valid snapshot.")
  var isStrict = false
  @OptionGroup var store: StoreOptions
  @Flag(help: .json) var json = false

  func run() async throws {
    let name = try listName()
    let rule = try reading.givenRule()
    let git = try GitRepository(at: repository)
    let known = try store.serviceIfThere()
    let source = "git:" + (try GitRepository.normalised(path))
    let position = try await known?.importPosition(of: source, in: name)
    let remembered = rule == nil ? try await known?.idRule(of: name) : nil
    let options = try reading.options(
      rule: rule ?? remembered.flatMap(IDRule.init(text:)) ?? .standard)

    let history = try git.history(of: path, at: ref, after: position)
    let report = ImportReport(commitCount: history.count)
    let versions = try GitVersions(
      history, of: path, in: git, options: options, isStrict: isStrict, report: report)
    var request = ImportRequest(list: name, source: source, after: position)
    request.idRule = rule?.text
    let tally = try await store(versions, request, report)
    try await show(tally, report, of: name)
  }

  private func store(
    _ versions: sending GitVersions, _ request: ImportRequest, _ report: ImportReport
  ) async throws -> ImportTally {
    defer { report.finish() }
    // Nothing new makes no store.
    if report.commitCount == 0 { return ImportTally() }
    return try await store.writingService().importStates(request, from: versions) { tally in
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

  private func show(_ tally: ImportTally, _ report: ImportReport, of name: ListName) async throws {
    let lists = try await store.serviceIfThere()?.lists() ?? []
    let head = lists.first { $0.name == name }?.head ?? .zero
    if json { return try Output.write(Self.document(tally, report, head, of: name)) }
    if report.leftOutCount > 0 {
      let items = Wording.count(report.leftOutCount, "item")
      Output.note("left out \(items) with a repeated id or none, in all versions together")
    }
    let commits = report.commitCount == 0 ? "no new commit" : Self.words(for: tally)
    let items = Wording.count(head.count, "item")
    try Output.line("\(name) \(Wording.state(head)): \(commits); \(items)")
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
