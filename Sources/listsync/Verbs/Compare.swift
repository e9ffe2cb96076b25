import ArgumentParser
import ListChanges
import ListDocuments
import ListModel

struct Compare: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compares two snapshot files without a store.",
    discussion: """
      Prints a document like 'listsync delta', but without cursors. With --text, prints lines like \
      'listsync diff'.

      EXAMPLE
        listsync compare parks-before.json parks-after.json
        listsync compare old.csv new.csv --id code --text
        listsync compare old.json new.json --as batch
        listsync compare old.csv new.csv --separator ';' --separator tab
      """)

  @Argument(help: "The old snapshot file, or - for standard input.", completion: .file()) var old:
    String
  @Argument(help: "The new snapshot file, or - for standard input.", completion: .file()) var new:
    String
  @OptionGroup var reading: ReadingOptions
  @Flag(help: "Print text, for people.") var text = false
  @Option(name: .customLong("as"), help: .rendering) var rendering: Rendering?
  @OptionGroup var difference: DifferenceOptions
  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    if old == "-", new == "-" {
      throw ValidationError("only one of the two files can be standard input.")
    }
    if text, answer.isJSON { throw ValidationError("name --text or --json, not both.") }
    try difference.validate(isDocument: !text)
  }

  func run() throws {
    let rule = try reading.rule(remembered: nil)
    let (before, after) = (
      try reading.read(old, rule: rule, index: 0).snapshot,
      try reading.read(new, rule: rule, index: 1).snapshot
    )
    let delta = Delta(
      list: nil, from: ListState(of: before), to: ListState(of: after), oldest: nil,
      changes: before.changes(to: after))
    try difference.write(delta, asText: text, rendering: rendering)
  }
}
