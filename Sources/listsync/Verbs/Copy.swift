import ArgumentParser
import ListDocuments
import ListModel
import ListStore
import PostgresStore
import SyncService

struct Copy: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copies lists from one store to another, such as from a file to a database.",
    discussion: """
      Copies all versions with their cursors, the tags, and what a list remembers of its files: \
      the ids, the title and --max-removed. A list continues where it ends in the other store, so \
      an interrupted copy can be repeated, and a repeated one adds the new versions. A tag, title \
      or limit that a list has in the other store stays, and a tag of a version that was pruned is \
      left out: the copy tells of both. Creates the other store if it does not exist. Tokens, \
      records of dropped and renamed lists, and the positions of 'import-git' are not copied.

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
    if source.isSame(as: target) {
      throw ValidationError("--from and --to name the same store.")
    }
  }

  private var source: StoreArguments { StoreArguments(from, schema: fromSchema) }
  private var target: StoreArguments { StoreArguments(to, schema: toSchema) }

  func run() async throws {
    let source = try source.service()
    let names = lists.isEmpty ? try await source.lists().map(\.name) : lists
    // Check the names before a store is created.
    for name in names { _ = try await source.state(of: ListRevision(name)) }
    let target = try target.service(for: .creating)
    let place = PostgresStore.withoutPassword(to)
    let progress = ProgressLine("copying")
    defer { progress.finish() }
    var outcomes: [CopyOutcome] = []
    for name in names {
      do {
        outcomes.append(
          try await target.copy(name, from: source) { progress.show("\(name), version \($0)") })
      } catch ServiceError.diverged(let other, let list, let head) {
        throw VerbError.otherHistory(list, at: head, target: place, itsHead: other)
      } catch ServiceError.endsTooOld(let end, let list, let oldest) {
        throw VerbError.endsTooOld(list, at: end, target: place, itsOldest: oldest)
      } catch ServiceError.gone(let former) {
        let bundle = "bring it with 'listsync bundle create \(former.name)' from the source and "
        throw VerbError.gone(
          former, bringBack: bundle + "'listsync bundle apply --as OTHER'",
          toNewName: {
            "Bring its versions with a bundle, and 'listsync bundle apply --as \($0)'."
          })
      }
    }
    progress.finish()
    for outcome in outcomes { outcome.notes.forEach(Output.diagnostic) }
    let lines = outcomes.map(\.line)
    try Output.answer(afterChange: lines.joined(separator: "; ")) {
      guard answer.isJSON else { return try lines.forEach(Output.line) }
      try JSONArrayOutput.write(outcomes) { writer, outcome in
        writer.member("list", outcome.list.text)
        writer.member("outcome", outcome.isUnchanged ? "unchanged" : "copied")
        writer.member("added", outcome.addedCount)
        writer.member("tags", outcome.tagCount)
        writer.objects("left_out", outcome.leftOut) { $0.members(of: $1) }
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

extension CopyOutcome {
  /// A line for each tag, title and limit that was not copied, with the remedy.
  fileprivate var notes: [String] {
    leftOut.map { mark in
      switch mark {
      case .prunedTag(let tag, let version):
        "\(list): the tag \(tag) was left out, since version \(version) was pruned"
      case .takenTag(let tag, let version, let here):
        """
        \(list): the tag \(tag) stays at version \(here), and is at \(version) in the source; \
        'listsync tag \(list) \(tag) \(version) --force' moves it
        """
      case .otherTitle(let title, let here):
        "\(list): its title stays \(here), and is \(title) in the source"
      case .otherLimit(let kind, let limit, let here):
        "\(list): its --max-\(kind) stays \(here), and is \(limit) in the source"
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func members(of mark: SkippedMetadata) {
    switch mark {
    case .prunedTag(let tag, let version):
      member("tag", tag.text)
      member("version", version.number)
      member("reason", "pruned")
    case .takenTag(let tag, let version, let here):
      member("tag", tag.text)
      member("version", version.number)
      member("reason", "taken")
      member("here", here.number)
    case .otherTitle(let title, let here):
      member("title", title.description)
      member("reason", "taken")
      member("here", here.description)
    case .otherLimit(let kind, let limit, let here):
      member("max_\(kind)", limit.description)
      member("reason", "taken")
      member("here", here.description)
    }
  }
}
