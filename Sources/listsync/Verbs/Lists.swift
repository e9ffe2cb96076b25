import ArgumentParser
import ListModel
import SyncService
import Terminal

struct Lists: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows all lists with their newest versions.",
    discussion: """
      EXAMPLE
        listsync lists
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var times: TimeOptions
  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    let lists = try await store.service().lists()
    if answer.isJSON { return try JSONArrayOutput.write(lists) { $0.members(of: $1) } }
    if lists.isEmpty {
      return Output.diagnostic("no lists yet; 'listsync commit' creates the first")
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
