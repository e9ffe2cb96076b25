import ArgumentParser
import ListDocuments
import ListModel
import SyncService
import Terminal

struct Replay: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints the steps between two versions, one delta a line (NDJSON).",
    discussion: """
      With --check, every printed delta is also read back and applied to a copy of the list, \
      whose checksum must be the stored one after each step.

      EXAMPLE
        listsync replay parks --from 0 --to head --check > steps.ndjson
      """)

  @Argument(help: .list) var list: String
  @Option(help: .revision("Where to start (default: 0)")) var from = RevisionArgument(
    .version(.zero))
  @Option(help: .revision("Where to end (default: head)")) var to = RevisionArgument(.head)
  @Flag(help: "Apply each step to a copy and compare checksums.") var check = false
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let name = try ListName(argument: list)
    let service = try store.service()
    let progress = ProgressLine("replaying \(name)")
    defer { progress.finish() }
    var copy =
      check ? DeltaReplay(try await service.snapshot(of: name, at: from.revision).snapshot) : nil
    var count = 0
    try await service.replay(name, from: from.revision, to: to.revision) { delta in
      let line = DeltaDocument(delta).encoded(.line)
      try Output.write(line)
      try copy?.apply(line, of: delta)
      count += 1
      progress.show("\(delta.to.cursor.map { "\($0.version)" } ?? "")")
    }
    progress.finish()
    if let copy {
      let items = Wording.count(copy.count, "item")
      Output.note(
        """
        checked: \(Wording.count(count, "step")) replayed, every checksum holds; \(items) at the end
        """
      )
    }
  }
}

extension DeltaReplay {
  /// Applies the document as it was printed.
  fileprivate mutating func apply(_ line: [UInt8], of delta: Delta) throws {
    do {
      try apply(DeltaDocument(line, limits: .none))
    } catch {
      throw ReplayError(list: delta.list, to: delta.to, error: error)
    }
  }
}

/// A step that does not lead where it says.
struct ReplayError: Error {
  let list: ListName?
  let to: ListState
  let error: DeltaError
}
