import ArgumentParser
import ListChanges
import ListDocuments
import ListModel
import SyncService

struct DeltaVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delta",
    abstract: "Prints the changes since a version as a document for programs.",
    discussion: """
      The document has the removed, moved, inserted and updated items. 'from' is an index in the \
      old list, 'to' an index in the new list. The root of the new list proves the result.

      EXAMPLE
        listsync delta parks --since 3-b71c20d4e811
        listsync delta parks --since 3 --as json-patch --guarded
        listsync delta parks --since 3 --limit 1000 --fallback snapshot
      """)

  @Argument(help: .list, completion: .lists, transform: ListName.init(argument:)) var list: ListName
  @Option(help: .revision("The version that you have")) var since: Revision
  @Option(help: .revision("The version that you want")) var to = Revision.head
  @Option(name: .customLong("as"), help: .rendering) var rendering: Rendering?
  @Option(
    help: ArgumentHelp(
      """
      At most this many changes of the log, up to a whole version; 'more' tells if others \
      follow. The answer may have fewer, since several changes of an item become one.
      """,
      valueName: "count"),
    transform: Int.init(count:))
  var limit: Int?
  @Option(help: "Print the whole list if there is no delta: too old or diverged.")
  var fallback: Fallback?
  @Flag(help: "Print the whole list if it has fewer bytes than the delta.") var smaller = false
  @Flag(
    help: "With --as json-patch: begin with a test that the list is the one that you have.")
  var guarded = false
  @OptionGroup var store: StoreArguments
  /// Without effect, since the answer is always JSON.
  @OptionGroup var answer: AnswerOptions

  enum Fallback: String, CaseIterable, ExpressibleByArgument {
    case snapshot
  }

  func validate() throws {
    if guarded, rendering != .jsonPatch {
      throw ValidationError("--guarded is for --as json-patch: other documents name their start.")
    }
    if rendering != nil, fallback != nil || smaller {
      throw ValidationError(
        "--as has no form for a whole list: leave out --fallback and --smaller.")
    }
  }

  func run() async throws {
    var request = CatchUpRequest(list: list, since: since)
    request.to = to
    request.changeLimit = limit
    request.fallsBack = fallback != nil
    request.takesSmaller = smaller
    switch try await ProgressLine.timing("reading \(list)", { try await answer(to: request) }) {
    case .changes(let delta) where guarded:
      try Output.write(delta.changes.jsonPatch().encoded(testing: await start(of: delta)))
    case .changes(let delta): try Output.delta(delta, rendering)
    case .snapshot(let delta): try Output.write(delta.encoded())
    }
  }

  /// The list that a delta starts from.
  private func start(of delta: Delta) async throws -> Snapshot {
    try await store.service().snapshot(of: list, at: .cursor(delta.from.knownCursor)).snapshot
  }

  private func answer(to request: CatchUpRequest) async throws -> CatchUpAnswer<Delta> {
    do {
      return try await store.service().catchUp(request)
    } catch let error as ServiceError where rendering == nil {
      switch error {
      case .tooOld, .diverged:
        throw VerbError.advised(
          error, "Start over with 'listsync show \(list)', or add --fallback snapshot.")
      default: throw error
      }
    }
  }
}
