import ArgumentParser
import ListModel
import SyncService
import Terminal

struct Diff: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows the changes between two versions, for people.",
    discussion: """
      Each line starts with the kind of change: - removed, + inserted, > moved, ~ updated. Then \
      come the index in the old list, the index in the new list, or both.

      EXAMPLE
        listsync diff parks head~1 head
        listsync diff parks 1900-01-01 2000-01-01
      """)

  @Argument(help: .list, completion: .lists, transform: ListName.init(argument:)) var list: ListName
  @Argument(help: .revision("The old version")) var old: Revision
  @Argument(help: .revision("The new version")) var new = Revision.head
  @OptionGroup var difference: DifferenceOptions
  @OptionGroup var store: StoreOptions
  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    let delta = try await store.service().delta(of: list, since: old, to: new)
    try difference.write(delta, asText: !answer.isJSON)
  }
}
