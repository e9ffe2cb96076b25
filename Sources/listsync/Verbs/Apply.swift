import ArgumentParser
import ListDocuments
import ListModel
import LocalFiles
import Terminal

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
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The file for the new list, or - for standard output.", valueName: "file"),
    completion: .file())
  var output = "-"
  @Flag(name: .customLong("force"), help: "Replace the file if it exists.") var isForced = false
  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    if ([file] + deltas).count(where: { $0 == "-" }) > 1 {
      throw ValidationError("only one of the files can be standard input.")
    }
    if isForced, output == "-" { throw ValidationError("--force is for the file of --output.") }
  }

  func run() throws {
    // Fails at once if the file must not be replaced.
    let file = output == "-" ? nil : try OutputFile(output, replaces: isForced)
    do {
      let (replay, count) = try replayed()
      let document = SnapshotDocument.encode(replay.snapshot)
      guard let file else { return try Output.write(document) }
      try file.write(document)
      try file.finish()
      try report(replay, count)
    } catch {
      file?.abandon()
      throw error
    }
  }

  /// The list after all deltas, and the number of these.
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
    try answer.write("\(Output.printable(output)): \(deltas) applied; \(items)") { writer in
      writer.member("file", output)
      writer.member("deltas", count)
      writer.member("count", replay.count)
      writer.member("root", replay.root.description)
    }
  }
}
