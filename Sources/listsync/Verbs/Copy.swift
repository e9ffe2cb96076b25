import ArgumentParser
import ListDocuments
import ListModel
import PostgresStore
import SyncService
import Terminal

struct Copy: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copies lists from one store to another, such as from a file to a database.",
    discussion: """
      Copies all versions with their cursors, the tags, and what a list remembers of its files: \
      the ids and the title. A list goes on where it ends in the other store, so an interrupted \
      copy can be repeated, and a repeated one adds what is new. Creates the other store if it \
      does not exist. Tokens, records of dropped and renamed lists, and the positions of \
      'import-git' are not copied.

      EXAMPLE
        listsync copy --from parks.db --to other.db
        listsync copy --from parks.db --to postgresql://store@db1/listsync parks films
      """)

  @Option(
    help: ArgumentHelp("The store to read: a file, or postgresql://…", valueName: "store"),
    completion: .file())
  var from: String
  @Option(
    help: ArgumentHelp("The store to write: a file, or postgresql://…", valueName: "store"),
    completion: .file())
  var to: String
  @Option(
    help: ArgumentHelp(
      "The schema of a PostgreSQL database to read (default: listsync).", valueName: "name"))
  var fromSchema: String?
  @Option(
    help: ArgumentHelp(
      "The schema of a PostgreSQL database to write (default: listsync).", valueName: "name"))
  var toSchema: String?
  @Argument(
    help: ArgumentHelp("The lists (default: all lists of the store).", valueName: "list"),
    transform: ListName.init(argument:))
  var lists: [ListName] = []
  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    try source.validate(as: "--from", schema: "--from-schema")
    try target.validate(as: "--to", schema: "--to-schema")
    if from == to, fromSchema == toSchema {
      throw ValidationError("--from and --to name the same store.")
    }
  }

  private var source: StoreOptions { StoreOptions(from, schema: fromSchema) }
  private var target: StoreOptions { StoreOptions(to, schema: toSchema) }

  func run() async throws {
    let source = try source.service()
    let names = lists.isEmpty ? try await source.lists().map(\.name) : lists
    // A wrong name creates no store.
    for name in names { _ = try await source.state(of: ListRevision(name)) }
    let target = try target.service(for: .creating)
    let progress = ProgressLine("copying")
    defer { progress.finish() }
    var outcomes: [CopyOutcome] = []
    for name in names {
      do {
        outcomes.append(
          try await target.copy(name, from: source) { progress.show("\(name), version \($0)") })
      } catch ServiceError.diverged(let other, let list, let head) {
        let place = PostgresStore.withoutPassword(to)
        throw VerbError.otherHistory(list, at: head, target: place, itsHead: other)
      }
    }
    progress.finish()
    let lines = outcomes.map(\.line)
    try Output.answer(keeping: lines.joined(separator: "; ")) {
      guard answer.isJSON else { return try lines.forEach(Output.line) }
      try JSONArrayOutput.write(outcomes) { writer, outcome in
        writer.member("list", outcome.list.text)
        writer.member("outcome", outcome.isUnchanged ? "unchanged" : "copied")
        writer.member("added", outcome.addedCount)
        writer.member("tags", outcome.tagCount)
        writer.member("head", outcome.head)
      }
    }
  }
}

extension CopyOutcome {
  fileprivate var isUnchanged: Bool { addedCount == 0 && tagCount == 0 }

  fileprivate var line: String {
    let result =
      isUnchanged
      ? "already up to date"
      : "\(Wording.count(addedCount, "version")) and \(Wording.count(tagCount, "tag")) added"
    return "\(list) \(Wording.state(head)): \(result); \(Wording.count(head.count, "item"))"
  }
}
