import ArgumentParser
import ListModel
import SyncService

struct Revert: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revert",
    abstract: "Makes a new version that equals an older one.",
    discussion: """
      The versions in between stay. Only the changes since the older version are read and written, \
      so the list itself may be long. A newest version that equals the older one makes no new \
      version.

      EXAMPLE
        listsync revert parks 7
        listsync revert parks head~1 --dry-run
        listsync revert parks spring -m "The summer list was wrong" --author ranger
      """)

  @Argument(help: .list, completion: .lists, transform: ListName.init(argument:)) var list: ListName
  @Argument(help: .revision("The version to return to")) var revision: Revision
  @OptionGroup var options: CommitOptions
  @Flag(name: .customLong("dry-run"), help: "Show the changes without committing them.")
  var isDryRun = false
  @OptionGroup var store: StoreArguments
  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    // A revert never creates a store.
    let service = try store.service(for: isDryRun ? .reading : .writing)
    var request = CommitRequest(list: list, revertTo: revision)
    options.complete(&request)
    if isDryRun {
      try answer.write(await service.preview(request), of: list)
    } else {
      try answer.write(await service.commit(request), of: list)
      await service.compactAfterwards(list)
    }
  }
}
