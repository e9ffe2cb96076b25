import ArgumentParser
import ListChanges
import ListDocuments
import ListModel
import Terminal

/// Whether a verb answers people with text, or programs with JSON.
struct AnswerOptions: ParsableArguments {
  @Flag(name: .customLong("json"), help: .json) var isJSON = false

  /// Writes the outcome of a change as one line or as one JSON object.
  ///
  /// - Throws: `OutputError`, which repeats the line, since the change is made.
  func write(_ line: String, _ members: (inout JSONWriter) -> Void) throws {
    try Output.answer(keeping: line) {
      try isJSON ? Output.object(members) : Output.line(line)
    }
  }
}

/// How a verb shows the difference of two snapshots.
struct DifferenceOptions: ParsableArguments {
  @Flag(name: .customLong("exit-code"), help: "Exit with 1 if there are differences.")
  var tellsByExitCode = false
  @OptionGroup var colour: ColourOptions

  /// Writes a delta for people, or else as a document.
  func write(_ delta: Delta, asText: Bool, rendering: Rendering? = nil) throws {
    if asText {
      for line in DiffText(delta, colour.palette).lines { try Output.line(line) }
    } else {
      try Output.delta(delta, rendering)
    }
    if tellsByExitCode, !delta.changes.isEmpty { throw ExitCode(1) }
  }
}

extension Output {
  /// Writes a delta document, or another rendering of its changes.
  static func delta(_ delta: Delta, _ rendering: Rendering? = nil) throws {
    try write(rendering?.encode(delta) ?? DeltaDocument(delta).encoded())
  }
}
