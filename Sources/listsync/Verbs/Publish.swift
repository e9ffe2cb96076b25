import ArgumentParser
import ListDocuments
import ListModel
import Publishing
import SyncService

struct Publish: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish",
    abstract: "Writes lists as files, from which clients catch up without a server.",
    discussion: """
      Each list gets a folder with its head, its changes in steps of growing length, and the whole \
      list. Any web server, object store or CDN can serve them. To publish again writes only what \
      is new, and removes what was pruned. A killed publication leaves the one before. A page of \
      the history (index.html) and a feed of the newest versions (feed.xml) are next to them.

      EXAMPLE
        listsync publish parks films -o /srv/www/lists
        listsync publish parks -o /srv/www/lists --watch
        listsync publish parks -o /srv/www/lists --sign lists.example.key
      """)

  @Argument(
    help: "The names of the lists.", completion: .lists, transform: ListName.init(argument:))
  var lists: [ListName]
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The folder that gets a folder for each list.", valueName: "folder"),
    completion: .directory)
  var output: String
  @Option(
    help: ArgumentHelp(
      """
      How many changes of a length make one of the next (default: as the publication has it, else \
      \(Publisher.standardBase)).
      """,
      valueName: "number"))
  var base: Int?
  @Option(
    help: .file(
      """
      Sign the heads with this key of 'listsync key create'. With another --sign, that key takes \
      over.
      """),
    completion: .file())
  var sign: [String] = []
  @Flag(
    name: .customLong("history"),
    help: "Also write all versions as a SQLite file, history.db, as 'export' does.")
  var hasHistory = false
  @Flag(help: "Continue, and publish after each commit, until interrupted.") var watch = false
  @OptionGroup var store: StoreArguments
  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    if let base, !(2...64).contains(base) { throw ValidationError("--base: from 2 to 64.") }
  }

  func run() async throws {
    let service = try store.service()
    let keys = try sign.map { try SigningKey(inFile: $0) }
    let publisher = Publisher(
      service, folder: output, base: base, signer: keys.isEmpty ? nil : HeadSigner(keys),
      hasHistory: hasHistory)
    var outcomes: [Publisher.Outcome] = []
    for list in lists {
      let progress = ProgressLine("publishing \(list)")
      defer { progress.finish() }
      outcomes.append(
        try await publisher.publish(list, beside: lists.contains) {
          progress.show("up to version \($0.end)")
        })
    }
    try write(outcomes)
    if watch { try await follow(service, publisher) }
  }

  /// Publishes after each commit, also of other programs, until the program is interrupted.
  private func follow(_ service: SyncService, _ publisher: Publisher) async throws {
    try await HeadCache.follow(service) { headCache in
      try await publisher.publishLists(
        of: headCache, every: .milliseconds(200), where: lists.contains
      ) { list, error in
        // Nobody reads the answers any more.
        if error is OutputError { throw error }
        Output.diagnostic("listsync: \(list) was not published: \(error)")
      } onOutcome: { outcome in
        if outcome.writtenCount + outcome.removedCount > 0 { try write([outcome]) }
      }
    }
  }

  private func write(_ outcomes: [Publisher.Outcome]) throws {
    try answer.write(outcomes.map(text).joined(separator: "\n")) { writer in
      writer.objects("lists", outcomes) { writer, outcome in
        writer.member("list", outcome.list.text)
        if let head = outcome.head { writer.member("to", head) }
        if let end = outcome.end {
          writer.object("gone") { $0.member("new_name", end.newName?.text) }
        }
        writer.member("written", outcome.writtenCount)
        writer.member("removed", outcome.removedCount)
        writer.member("bytes", outcome.byteCount)
        writer.member("page", outcome.hasPage)
      }
    }
  }

  private func text(_ outcome: Publisher.Outcome) -> String {
    let removed = outcome.removedCount > 0 ? ", \(outcome.removedCount) removed" : ""
    guard let head = outcome.head else {
      let name = outcome.end?.newName.map { ", and is called \($0) now" } ?? ""
      return "\(outcome.list): says that the list is gone\(name)\(removed)"
    }
    let written = Wording.count(outcome.writtenCount, "file")
    let bytes = Wording.bytes(outcome.byteCount)
    let page = outcome.hasPage ? "" : "; no page, since the list is too long for one"
    return "\(outcome.list) \(Wording.state(head)): \(written) written\(removed); \(bytes)\(page)"
  }
}
