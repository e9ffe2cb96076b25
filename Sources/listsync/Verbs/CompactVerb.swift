import ArgumentParser
import ListDocuments
import ListModel
import ListStore
import SQLiteStore
import SyncService

struct CompactVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Merges the changes of lists, so that they take the fewest bytes.",
    discussion: """
      The log of a list consists of segments, which hold the changes of some versions, sorted and \
      compressed. Commits and the server merge them by themselves, so that a list takes little \
      more than one segment would. This merges all of them into one. Versions, cursors and answers \
      stay the same, and others may read and write meanwhile. Without a list, it also deletes what \
      killed processes have left of long first versions.

      --vacuum rewrites the whole file, and returns unused space to the system.

      EXAMPLE
        listsync compact
        listsync compact parks --vacuum
      """)

  @Argument(
    help: "The list; all lists without one.", completion: .lists,
    transform: ListName.init(argument:))
  var list: ListName?
  @Flag(help: "Return the freed space to the system. This rewrites the whole file.")
  var vacuum = false
  @OptionGroup var store: StoreArguments
  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    let file = vacuum ? try store.file(for: .writing) : nil
    let service = try store.service(on: file ?? store.store(for: .writing))
    let discardedCount = list == nil ? try await service.discardUnfinishedLists() : 0
    let lists = if let list { [list] } else { try await service.lists().map(\.name) }
    var outcomes: [(list: ListName, mergedCount: Int)] = []
    for list in lists { outcomes.append((list, try await service.compact(list).mergedCount)) }
    _ = try await file?.freeSpace()
    if answer.isJSON {
      return try Output.object { writer in
        writer.objects("lists", outcomes) { writer, outcome in
          writer.member("list", outcome.list.text)
          writer.member("merged", outcome.mergedCount)
        }
      }
    }
    if discardedCount > 0 {
      try Output.line("\(Wording.count(discardedCount, "unfinished first version")) deleted")
    }
    for (list, count) in outcomes {
      try Output.line("\(list): \(count == 0 ? "no" : "\(count)") segments merged")
    }
  }
}
