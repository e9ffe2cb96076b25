import ArgumentParser
import ListDocuments
import ListModel

struct Apply: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Makes the next list of a snapshot file with deltas, without a store.",
    discussion: """
      Each DELTA is a file with the document of 'listsync delta' or the lines of 'listsync \
      replay'. The deltas are applied one after the other. Each must start from the list that the \
      one before leads to, and its roots must match. A document of the whole list replaces \
      the list.

      The new list is printed as 'listsync show' does, or written to a file that appears only when \
      it is complete.

      EXAMPLE
        listsync apply parks-1.json parks-1-to-2.json > parks-2.json
        listsync replay parks --from 1 | listsync apply parks-1.json - -o parks.json
      """)

  @Argument(help: "The snapshot file, or - for standard input.", completion: .file())
  var file: String
  @Argument(
    help: ArgumentHelp("The deltas, or - for standard input.", valueName: "delta"),
    completion: .file())
  var deltas: [String]
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var target: ListOutputOptions
  @OptionGroup var answer: AnswerOptions

  func validate() throws { try ListOutputOptions.checkInputs([file] + deltas) }

  func run() throws {
    let output = try target.open()
    let (replay, count) = try replayed()
    try output.write(SnapshotDocument.encode(replay.snapshot))
    try output.finish()
    if !target.isStandardOutput { try report(replay, count) }
  }

  /// The list after all deltas, and the number of deltas.
  private func replayed() throws -> (DeltaReplay, deltaCount: Int) {
    let limits = try Settings.limits()
    var replay = DeltaReplay(try reading.read(file, rule: reading.rule(remembered: nil)).snapshot)
    var count = 0
    for path in deltas {
      var documents = DeltaSequence(try InputFile.bytes(of: path, limits: limits), limits: limits)
      do throws(DeltaError) {
        while let document = try documents.next() {
          try replay.apply(document, limits: limits)
          count += 1
        }
      } catch {
        throw VerbError.refusedDelta(path, at: documents.position, error)
      }
    }
    return (replay, count)
  }

  private func report(_ replay: DeltaReplay, _ count: Int) throws {
    let deltas = Wording.count(count, "delta")
    let items = Wording.count(replay.count, "item")
    try answer.write("\(Output.printable(target.output)): \(deltas) applied; \(items)") { writer in
      writer.member("file", target.output)
      writer.member("deltas", count)
      writer.member("count", replay.count)
      writer.member("root", replay.root.description)
    }
  }
}
