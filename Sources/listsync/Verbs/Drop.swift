import ArgumentParser
import Foundation
import ListModel
import ListStore
import SyncService

struct Drop: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop",
    abstract: "Deletes a list with all its versions, and records that.",
    discussion: """
      Asks first, or needs --yes where no terminal answers. Whoever uses the list's name or an old \
      cursor is told that the list is gone. 'commit --begin-again' starts a new list of the name.

      EXAMPLE
        listsync drop parks
        listsync drop parks --yes --author ranger
      """)

  @Argument(help: .list, completion: .lists, transform: ListName.init(argument:)) var list: ListName
  @Flag(name: .shortAndLong, help: "Do not ask.") var yes = false
  @OptionGroup var departure: DepartureOptions
  @OptionGroup var store: StoreArguments
  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    let service = try store.service(for: .writing)
    var request = departure.request(for: list)
    if !yes {
      guard isatty(STDIN_FILENO) == 1 else {
        throw ValidationError("nobody can be asked here: confirm with --yes.")
      }
      let head = try await service.state(of: ListRevision(list))
      let items = Wording.count(head.count, "item")
      Output.question("Delete \(list) \(Wording.state(head)), \(items), with all versions? [y/N] ")
      guard let reply = readLine()?.lowercased(), ["y", "yes"].contains(reply) else {
        throw VerbError.declined
      }
      // Drops only the version that the person saw.
      if request.expected.isEmpty { request.expected = [.cursor(head.knownCursor)] }
    }
    let record = try await service.drop(request)
    try answer.write("\(list) \(record.cursor.short): dropped") { $0.members(of: record) }
  }
}
