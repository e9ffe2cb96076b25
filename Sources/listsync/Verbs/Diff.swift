import ArgumentParser
import ListChanges
import ListDocuments
import ListModel
import SyncService
import Terminal

struct Diff: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows what changed between two versions, for people.",
    discussion: """
      Each line starts with the kind of change: - removed, + inserted, > moved, ~ updated; behind \
      it the index in the old list, the index in the new one, or both.

      EXAMPLE
        listsync diff parks head~1 head
        listsync diff parks 1900-01-01 2000-01-01
      """)

  @Argument(help: .list) var list: String
  @Argument(help: .revision("The old version")) var old: RevisionArgument
  @Argument(help: .revision("The new version")) var new = RevisionArgument(.head)
  @Flag(name: .customLong("exit-code"), help: "Exit with 1 where there are differences.")
  var tellsByExitCode = false
  @OptionGroup var store: StoreOptions
  @OptionGroup var colour: ColourOptions
  @Flag(help: .json) var json = false

  func run() async throws {
    let name = try ListName(argument: list)
    let delta = try await store.service().delta(of: name, since: old.revision, to: new.revision)
    if json {
      try Output.write(DeltaDocument(delta).encoded())
    } else {
      for line in DiffText(delta, colour.palette).lines { try Output.line(line) }
    }
    if tellsByExitCode, !delta.changes.isEmpty { throw ExitCode(1) }
  }
}
