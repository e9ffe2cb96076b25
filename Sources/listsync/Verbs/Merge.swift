import ArgumentParser
import ListChanges
import ListDocuments
import ListModel

extension MergeSide: ExpressibleByArgument {}

struct Merge: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merges two snapshot files that were made of one, without a store.",
    discussion: """
      BASE is the file that both sides began with; MINE and THEIRS are what each made of it. Items \
      merge by their ids, and contents by their members. The order is that of THEIRS, in which \
      the items that MINE inserted or moved are placed behind their neighbours in MINE.

      A conflict is a member that both sides changed in different ways, or an item that one side \
      removed and the other changed. Then nothing is written, each conflict is shown with its \
      values, and the exit code is 1. --prefer decides conflicts.

      The merged list is written in the form of MINE. An item that a file has keeps its text. An \
      empty BASE is an empty list.

      EXAMPLE
        listsync merge base.json mine.json theirs.json > merged.json
        listsync merge base.csv mine.csv theirs.csv --id code -o mine.csv --force
      """)

  @Argument(help: "The file that both sides began with.", completion: .file()) var base: String
  @Argument(help: "What one side made of it, or - for standard input.", completion: .file())
  var mine: String
  @Argument(help: "What the other side made of it.", completion: .file()) var theirs: String
  @OptionGroup var reading: ReadingOptions
  @Option(
    name: .customLong("prefer"),
    help: ArgumentHelp("Decide conflicts for one side.", valueName: "side"))
  var side: MergeSide?
  @OptionGroup var target: ListOutputOptions
  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    try ListOutputOptions.checkInputs([base, mine, theirs])
    if answer.isJSON, target.isStandardOutput {
      throw ValidationError("--json: name the file for the merged list with --output.")
    }
  }

  func run() throws {
    let output = try target.open()
    let rule = try reading.rule(remembered: nil)
    let base =
      try reading.text(base, rule: rule, allowsEmpty: true, index: 0)?.read.snapshot ?? .empty
    guard let mine = try reading.text(mine, rule: rule, index: 1),
      let theirs = try reading.text(theirs, rule: rule, index: 2)
    else { preconditionFailure("only the base may be empty") }
    for (file, text) in [(self.mine, mine), (self.theirs, theirs)] {
      let count = text.read.leftOutCount
      if count == 0 { continue }
      let items = Wording.count(count, "item")
      Output.diagnostic("\(Wording.input(file)): left out \(items) with a repeated id or none")
    }
    let result = MergedFiles(base, mine.read.snapshot, theirs.read.snapshot, preferring: side)
    guard let merged = result.merged else {
      if answer.isJSON {
        try Output.object { result.write(to: &$0) }
      } else {
        for line in result.conflictLines { Output.diagnostic(line) }
        Output.diagnostic(
          """
          Nothing was written. Decide all conflicts with --prefer mine or --prefer theirs, or \
          make the two files agree and merge again.
          """)
      }
      throw ExitCode(1)
    }
    try output.write(mine.replacingItems(with: merged, from: theirs))
    try output.finish()
    if target.isStandardOutput { return }
    try answer.write("\(Output.printable(target.output)): \(result.summary)") { writer in
      writer.member("file", target.output)
      result.write(to: &writer)
    }
  }
}
