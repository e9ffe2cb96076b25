import ArgumentParser
import ListModel
import ListStore
import SyncService

struct Rename: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Gives a list another name.",
    discussion: """
      Its versions and cursors stay the same. The old name is recorded: whoever uses it is told \
      the new one, and it does not begin a second list unnoticed. Tokens name lists, so check them.

      EXAMPLE
        listsync rename parks national-parks
      """)

  @Argument(help: .list, completion: .lists, transform: ListName.init(argument:)) var list: ListName
  @Argument(
    help: ArgumentHelp("The new name.", valueName: "new"), transform: ListName.init(argument:))
  var newName: ListName
  @OptionGroup var departure: DepartureOptions
  @OptionGroup var store: StoreArguments
  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    let service = try store.service(for: .writing)
    let record: RetiredList
    do {
      record = try await service.rename(departure.request(for: list), to: newName)
    } catch ServiceError.gone(let former) where former.name == newName {
      throw VerbError.advised(
        .gone(former),
        "Nothing was changed. Only the list that left this name may have it again, or one that has "
          + "its version \(former.cursor.short). Use another name.")
    }
    try answer.write("\(list) \(record.cursor.short): renamed to \(newName)") {
      $0.members(of: record)
    }
  }
}
