import ArgumentParser
import ListChanges
import ListDocuments
import ListModel
import Terminal

struct Compare: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares two snapshot files, without a store.",
    discussion: """
      Prints the document that delta prints, its 'from' and 'to' without cursors; with --text, \
      what diff prints.

      EXAMPLE
        listsync compare parks-before.json parks-after.json
        listsync compare old.csv new.csv --id code --text
        listsync compare old.json new.json --as batch
      """)

  @Argument(help: "The old snapshot file, or - for standard input.") var old: String
  @Argument(help: "The new snapshot file, or - for standard input.") var new: String
  @OptionGroup var reading: ReadingOptions
  @Flag(help: "Answer for people.") var text = false
  @Option(name: .customLong("as"), help: .rendering) var rendering: Rendering?
  @Flag(name: .customLong("exit-code"), help: "Exit with 1 where there are differences.")
  var tellsByExitCode = false
  @OptionGroup var colour: ColourOptions

  func run() throws {
    if old == "-", new == "-" {
      throw ValidationError("only one of the two files can be standard input.")
    }
    let rule = try reading.givenRule() ?? .standard
    let (before, after) = (
      try reading.read(old, rule: rule).snapshot, try reading.read(new, rule: rule).snapshot
    )
    let delta = Delta(
      list: nil, from: ListState(of: before), to: ListState(of: after), oldest: nil,
      changes: before.changes(to: after))
    if text {
      for line in DiffText(delta, colour.palette).lines { try Output.line(line) }
    } else {
      try Output.write(rendering?.encode(delta) ?? DeltaDocument(delta).encoded())
    }
    if tellsByExitCode, !delta.changes.isEmpty { throw ExitCode(1) }
  }
}
