import ArgumentParser
import Foundation
import ListDocuments
import ListModel
import SyncService
import Terminal

struct BundleApply: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Takes the versions of a bundle into a store.",
    discussion: """
      All of them or, when one is refused, none. Versions that are there already are compared and \
      passed over, so that a bundle may be applied again. A full bundle makes the list where it is \
      not there, and the store; an incremental one needs the list at the version it starts from, \
      or at a later one.

      EXAMPLE
        listsync bundle apply parks.bundle.gz --store other.db
        listsync bundle apply parks.bundle.gz --as parks-mirror
      """)

  @Argument(help: "The bundle's file, or - for standard input.") var file: String
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp("The list's name here (default: the bundle's).", valueName: "list"))
  var name: String?
  @OptionGroup var store: StoreOptions
  @Flag(help: .json) var json = false

  func run() async throws {
    let name = try name.map { try ListName(argument: $0) }
    let outcome = try await RefusedBundle.naming(file) {
      let session = StoreSession(store, for: .writing)
      // Standard input and pipes can be read once.
      if FileHandle.isRegular(file) { try check(session) }
      return try await apply(as: name, session)
    }
    let what =
      outcome.addedCount == 0
      ? "already up to date" : "\(Wording.count(outcome.addedCount, "version")) added"
    let items = Wording.count(outcome.head.count, "item")
    let line = "\(outcome.list) \(Wording.state(outcome.head)): \(what); \(items)"
    try Output.answer(keeping: line) {
      if json { try Output.write(Self.document(outcome)) } else { try Output.line(line) }
    }
  }

  /// What is no bundle does not touch the store, and what is refused anyway makes none.
  private func check(_ session: StoreSession) throws {
    var bundle = try BundleFile(file)
    guard case .header(let header)? = try bundle.next(), try session.serviceIfThere() == nil else {
      return
    }
    if case .prerequisite(let state) = header.start, state.version > .zero {
      throw ServiceError.tooNew(
        start: state.cursor, list: header.list, head: BundleState.zero.cursor)
    }
    while try bundle.next() != nil {}
  }

  private func apply(
    as name: ListName?, _ session: StoreSession
  ) async throws -> ApplyOutcome {
    let progress = ProgressLine("applying")
    defer { progress.finish() }
    let file = file
    return try await session.serviceOrNew().apply(
      as: name, onProgress: { progress.show("version \($0)") },
      from: { try BundleFile(file) })
  }

  private static func document(_ outcome: ApplyOutcome) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("list", outcome.list.text)
      writer.member("outcome", outcome.addedCount == 0 ? "unchanged" : "applied")
      writer.member("added", outcome.addedCount)
      writer.member("head", outcome.head)
    }
    return writer.bytes + "\n".utf8
  }
}
