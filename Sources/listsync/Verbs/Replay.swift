import ArgumentParser
import ListDocuments
import ListModel
import SyncService

struct Replay: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Prints the steps between two versions, one delta a line (NDJSON).",
    discussion: """
      With --check, each printed delta is also read again and applied to a copy of the list. After \
      each step, the copy's root must equal the stored one.

      EXAMPLE
        listsync replay parks --from 0 --to head --check > steps.ndjson
      """)

  @Argument(help: .list, completion: .lists, transform: ListName.init(argument:)) var list: ListName
  @Option(help: .revision("The first version")) var from = Revision.version(.zero)
  @Option(help: .revision("The last version")) var to = Revision.head
  @Flag(help: "Apply each step to a copy and compare roots.") var check = false
  @OptionGroup var store: StoreArguments
  /// Without effect, since the answer is always JSON.
  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    let service = try store.service()
    let progress = ProgressLine("replaying \(list)")
    defer { progress.finish() }
    var from = from
    var copy: DeltaReplay?
    if check {
      let start = try await service.snapshot(of: list, at: from)
      copy = DeltaReplay(start.snapshot)
      // Another list may have the name when the steps are read.
      from = start.state.cursor.map { .cursor($0) } ?? from
    }
    var count = 0
    try await service.replay(list, from: from, to: to) { delta in
      let line = DeltaDocument(delta).encoded(.line)
      try Output.write(line)
      do {
        // Applies the document as it was printed.
        try copy?.apply(DeltaDocument(line, limits: .none))
      } catch let error as DeltaError {
        throw VerbError.wrongStep(delta.list, to: delta.to, error)
      }
      count += 1
      progress.show("\(delta.to.cursor.map { "\($0.version)" } ?? "")")
    }
    progress.finish()
    if let copy {
      let steps = Wording.count(count, "step")
      let items = Wording.count(copy.count, "item")
      Output.diagnostic("checked: \(steps) replayed, every root matches; \(items) at the end")
    }
  }
}
