import ArgumentParser
import ListChanges
import ListDocuments
import ListModel
import SyncService

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

/// A delta in lines for people: removals first, then everything else in the order of the new list.
struct DiffText {
  private let delta: Delta
  private let palette: Palette

  init(_ delta: Delta, _ palette: Palette) {
    self.delta = delta
    self.palette = palette
  }

  var lines: [String] {
    let changes = delta.changes
    let title = [delta.list?.text, Wording.state(delta.from), "→", Wording.state(delta.to)]
      .compactMap { $0 }.joined(separator: " ")
    var lines = ["\(palette.bold(title)): \(Wording.changes(ChangeCounts(changes)))"]
    lines += changes.removed.map { removal in
      let item = Wording.item(removal.element.id, removal.element.content)
      return palette.red("- \(removal.from)  \(item)")
    }
    return lines + placements.sorted { $0.to < $1.to }.flatMap(\.lines)
  }

  private struct Placement {
    let to: Int
    let lines: [String]
  }

  private var placements: [Placement] {
    let changes = delta.changes
    let moves = Dictionary(uniqueKeysWithValues: changes.moved.map { ($0.to, $0) })
    let updated = Set(changes.updated.map(\.to))
    let insertions = changes.inserted.map { insertion in
      let item = Wording.item(insertion.element.id, insertion.element.content)
      return Placement(to: insertion.to, lines: [palette.green("+ \(insertion.to)  \(item)")])
    }
    let bareMoves = changes.moved.filter { !updated.contains($0.to) }.map { move in
      let id = Output.printable(move.id?.text ?? "")
      return Placement(to: move.to, lines: [palette.cyan("> \(move.from) → \(move.to)  \(id)")])
    }
    let updates = changes.updated.map { update in
      let mark = moves[update.to] == nil ? "~" : ">~"
      let item = Wording.item(update.new.id, update.new.content)
      let head = palette.yellow("\(mark) \(update.from) → \(update.to)  \(item)")
      let members = update.old.content.memberChanges(to: update.new.content)
      return Placement(
        to: update.to, lines: [head] + members.map { "      \(Wording.member($0, palette))" })
    }
    return insertions + bareMoves + updates
  }
}
