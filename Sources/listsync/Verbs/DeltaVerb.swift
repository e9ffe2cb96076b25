import ArgumentParser
import ListDocuments
import ListModel
import SyncService
import Terminal

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
        listsync delta parks --since 3 --limit 1000 --fallback snapshot
      """)

  @Argument(help: .list) var list: String
  @Option(help: .revision("The version that you have")) var since: RevisionArgument
  @Option(help: .revision("The version that you want (default: head)"))
  var to = RevisionArgument(.head)
  @Option(name: .customLong("as"), help: .rendering) var rendering: Rendering?
  @Option(
    help: ArgumentHelp(
      "At most so many changes, up to a real version; 'more' tells that others follow.",
      valueName: "count"))
  var limit: Int?
  @Option(help: "Answer with the whole list where there is no delta: too old or diverged.")
  var fallback: Fallback?
  @Flag(help: "Answer with the whole list where it has fewer bytes than the delta.")
  var smaller = false
  @OptionGroup var store: StoreOptions

  enum Fallback: String, CaseIterable, ExpressibleByArgument {
    case snapshot
  }

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit: the count must be 1 or more.") }
    if rendering != nil, fallback != nil || smaller {
      throw ValidationError(
        "--as has no form for a whole list: leave --fallback and --smaller out.")
    }
  }

  func run() async throws {
    var request = CatchUpRequest(list: try ListName(argument: list), since: since.revision)
    request.to = to.revision
    request.changeLimit = limit
    request.fallsBack = fallback != nil
    request.takesSmaller = smaller
    switch try await store.service().catchUp(request) {
    case .changes(let delta):
      try Output.write(rendering?.encode(delta) ?? DeltaDocument(delta).encoded())
    case .snapshot(let delta): try Output.write(delta.encoded())
    }
  }
}
