import ArgumentParser
import ListModel
import ListStore
import SyncService

struct Lists: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lists",
    abstract: "Shows all lists with their newest versions.",
    discussion: """
      The lists are ordered by the bytes of their names. With --limit, the next page is the one \
      --after the last name.

      EXAMPLE
        listsync lists
        listsync lists --prefix team- --limit 100
        listsync lists --prefix team- --limit 100 --after team-parks
      """)

  @Option(help: ArgumentHelp("Lists whose names begin with this text.", valueName: "text"))
  var prefix = ""
  @Option(
    help: ArgumentHelp("Lists whose names are after this one.", valueName: "list"),
    completion: .lists, transform: ListName.init(argument:))
  var after: ListName?
  @Option(
    name: [.customShort("n"), .long],
    help: ArgumentHelp("At most this many lists.", valueName: "count"), transform: Int.init(count:))
  var limit: Int?
  @OptionGroup var store: StoreArguments
  @OptionGroup var times: TimeOptions
  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    let range = NameRange(prefix: prefix, after: after, limit: limit)
    let lists = try await store.service().lists(range)
    if answer.isJSON { return try JSONArrayOutput.write(lists) { $0.members(of: $1) } }
    if lists.isEmpty {
      return Output.diagnostic(
        prefix.isEmpty && after == nil
          ? "no lists yet; 'listsync commit' creates the first" : "no such lists")
    }
    let counts = Wording.counts(lists.map(\.head.count), "item")
    let rows = zip(lists, counts).map { list, count in
      [
        list.name.text, Wording.state(list.head), count,
        list.committedAt.map { Wording.time($0) } ?? "never committed",
      ]
    }
    try Table(rows: rows, paddedCount: 3).write()
  }
}
