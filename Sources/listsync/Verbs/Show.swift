import ArgumentParser
import ListDocuments
import ListModel
import SyncService
import Terminal

struct Show: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints a list at a version, as a JSON array with one item a line.",
    discussion: """
      EXAMPLE
        listsync show parks
        listsync show parks@1916-08-25 > parks-1916.json
      """)

  @Argument(
    help: ArgumentHelp("LIST or LIST@REV; REV is \(Revision.forms).", valueName: "list[@rev]"),
    completion: .targets, transform: Target.init(argument:))
  var target: Target
  @OptionGroup var store: StoreOptions

  struct Target {
    let list: ListName
    let revision: Revision

    /// - Throws: `ValidationError`.
    init(argument text: String) throws {
      let words = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
      list = try ListName(argument: words[0])
      guard let revision = words.count == 2 ? Revision(String(words[1])) : .head else {
        throw ValidationError("write the version as \(Revision.forms).")
      }
      self.revision = revision
    }
  }

  func run() async throws {
    let answer = try await store.service().snapshot(of: target.list, at: target.revision)
    try Output.write(SnapshotDocument.encode(answer.snapshot))
  }
}
