import ArgumentParser
import ListDocuments
import ListModel
import ListStore
import SyncService

struct BundleApply: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Adds the versions of a bundle to a store.",
    discussion: """
      All versions are added, or none if one is refused. Versions that the list already has are \
      compared and skipped, so it is safe to apply a bundle again. A full bundle creates the list \
      and the store if they do not exist. An incremental one needs the list at the bundle's first \
      version, or at a later one. A list that was dropped comes back under another name: apply \
      its bundle with --as, and rename it.

      EXAMPLE
        listsync bundle apply parks.bundle.gz --store other.db
        listsync bundle apply parks.bundle.gz --as parks-mirror
      """)

  @Argument(help: "The bundle's file, or - for standard input.", completion: .file()) var file:
    String
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp("The list's name here (default: as in the bundle).", valueName: "list"),
    completion: .lists, transform: ListName.init(argument:))
  var name: ListName?
  @OptionGroup var store: StoreArguments
  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    let session = StoreSession(store, for: .writing)
    let outcome = try await VerbError.naming(file) {
      let input = BundleInput(file)
      try validate(input, session)
      return try await apply(input, session)
    }
    let result =
      outcome.addedCount == 0
      ? "already up to date" : "\(Wording.count(outcome.addedCount, "version")) added"
    let items = Wording.count(outcome.head.count, "item")
    try answer.write("\(outcome.list) \(Wording.state(outcome.head)): \(result); \(items)") {
      $0.member("list", outcome.list.text)
      $0.member("outcome", outcome.addedCount == 0 ? "unchanged" : "applied")
      $0.member("added", outcome.addedCount)
      $0.member("head", outcome.head)
    }
    if outcome.addedCount > 0 {
      try await session.serviceOrNew().compactAfterwards(outcome.list)
    }
  }

  /// Validates the bundle before a store is created for it.
  private func validate(_ input: BundleInput, _ session: StoreSession) throws {
    guard try session.serviceIfThere() == nil else { return }
    var bundle = try input.open()
    let header = try bundle.header()
    if case .prerequisite(let state) = header.start, state.version > .zero {
      throw ServiceError.tooNew(
        start: state.knownCursor, list: header.list, head: .zero)
    }
    while try bundle.next() != nil {}
  }

  private func apply(_ input: BundleInput, _ session: StoreSession) async throws -> ApplyOutcome {
    let progress = ProgressLine("applying")
    defer { progress.finish() }
    do {
      return try await session.serviceOrNew().apply(
        as: name, onProgress: { progress.show("version \($0)") }, from: { try input.open() })
    } catch ServiceError.gone(let former) {
      throw VerbError.gone(
        former, bringBack: "apply the bundle with --as OTHER",
        toNewName: { "Apply the bundle to that list with --as \($0)." })
    }
  }
}
