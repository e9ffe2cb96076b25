import ArgumentParser
import ListDocuments
import ListModel
import SyncService

struct DeltaVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delta",
    abstract: "Prints what changed since a version, as a document for programs.",
    discussion: """
      Removed, moved, inserted and updated items with their indexes; 'from' is an index in the \
      old list, 'to' one in the new list. The checksum of the new list proves the result.

      EXAMPLE
        listsync delta parks --since 3-b71c20d4e811
        listsync delta parks --since 3 --as json-patch
      """)

  @Argument(help: .list) var list: String
  @Option(help: .revision("The version that you have")) var since: RevisionArgument
  @Option(help: .revision("The version that you want (default: head)"))
  var to = RevisionArgument(.head)
  @Option(name: .customLong("as"), help: .rendering) var rendering: Rendering?
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let name = try ListName(argument: list)
    let delta = try await store.service().delta(of: name, since: since.revision, to: to.revision)
    try Output.write(rendering?.encode(delta) ?? DeltaDocument(delta).encoded())
  }
}
