import ArgumentParser
import ListDocuments
import ListModel
import SyncService
import Terminal

struct Show: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints a list at a version, as a JSON array with an item a line.",
    discussion: """
      EXAMPLE
        listsync show parks
        listsync show parks@1916-08-25 > parks-1916.json
      """)

  @Argument(
    help: ArgumentHelp("LIST or LIST@REV; REV is \(RevisionArgument.help)", valueName: "list[@rev]")
  )
  var target: String
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let (name, revision) = try parsed()
    let snapshot = try await store.service().snapshot(of: name, at: revision).snapshot
    try Output.write(SnapshotDocument.encode(snapshot))
  }

  private func parsed() throws -> (ListName, Revision) {
    let parts = target.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let name = try ListName(argument: parts[0])
    guard parts.count == 2 else { return (name, .head) }
    guard let revision = Revision(String(parts[1])) else {
      throw ValidationError("'\(parts[1])' names no version: write \(RevisionArgument.help)")
    }
    return (name, revision)
  }
}
