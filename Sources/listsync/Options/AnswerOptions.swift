import ArgumentParser
import ListChanges
import ListDocuments
import ListModel

/// Whether a verb answers people with text, or programs with JSON.
struct AnswerOptions: ParsableArguments {
  @Flag(name: .customLong("json"), help: .json) var isJSON = false

  /// Writes the outcome of a change as one line or as one JSON object.
  ///
  /// - Throws: `OutputError`, which repeats the line, since the change is made.
  func write(_ line: String, _ members: (inout JSONWriter) -> Void) throws {
    try Output.answer(afterChange: line) {
      try isJSON ? Output.object(members) : Output.line(line)
    }
  }

  /// Writes the answer of a verb that has an output. If this is standard output, `-`, the line goes
  /// to standard error.
  func write(
    _ line: String, besideOutput path: String, _ members: (inout JSONWriter) -> Void
  ) throws {
    if path == "-" { Output.diagnostic(line) } else { try write(line, members) }
  }

  /// - Throws: `ValidationError` when standard output would get a document and a JSON answer.
  func checkOutput(_ path: String, of document: String) throws {
    guard isJSON, path == "-" else { return }
    throw ValidationError("--json: with '-o -', standard output gets \(document).")
  }
}

/// How a verb shows the difference of two snapshots.
struct DifferenceOptions: ParsableArguments {
  @Flag(name: .customLong("stat"), help: "Show only how often each member changed.")
  var isStat = false
  @Flag(name: .customLong("name-only"), help: "Show only the ids of the changed items.")
  var isNameOnly = false
  @Option(
    name: .customLong("field"),
    help: ArgumentHelp(
      "Show only updates of this member, such as /rating. Repeat it for more members.",
      valueName: "pointer"),
    transform: JSONPointer.init(argument:))
  var fields: [JSONPointer] = []
  @Option(
    name: .customLong("ignore-field"),
    help: ArgumentHelp(
      "Leave out updates of this member. Repeat it for more members.", valueName: "pointer"),
    transform: JSONPointer.init(argument:))
  var ignoredFields: [JSONPointer] = []
  @Flag(name: .customLong("exit-code"), help: "Exit with 1 if there are differences.")
  var setsExitCode = false
  @OptionGroup var colour: ColourOptions

  private var isText: Bool { isStat || isNameOnly || !fields.isEmpty || !ignoredFields.isEmpty }

  /// - Parameter isDocument: whether the answer is a document for programs.
  /// - Throws: `ValidationError` for options that a document, which has all changes, cannot obey.
  func validate(isDocument: Bool) throws {
    if isStat, isNameOnly { throw ValidationError("name --stat or --name-only, not both.") }
    if isDocument, isText {
      throw ValidationError(
        "a document has all changes: --stat, --name-only, --field and --ignore-field are for text.")
    }
  }

  /// Writes a delta for people, or else as a document.
  ///
  /// - Parameters:
  ///   - title: the words before the colon of the first line; nil for the delta's states.
  ///   - titlePath: the member that is an item's title; nil for the usual members.
  func write(
    _ delta: Delta, asText: Bool, title: String? = nil, titlePath: JSONPointer? = nil,
    rendering: Rendering? = nil
  ) throws {
    let changes = ShownChanges(delta.changes, MemberFilter(only: fields, ignored: ignoredFields))
    if asText {
      let title = title ?? Wording.states(of: delta)
      for line in lines(of: changes, title, titlePath) { try Output.line(line) }
      let notice = isStat ? RewritingNotice(delta.changes) : nil
      for line in notice?.lines ?? [] { try Output.line(line) }
    } else {
      try Output.delta(delta, rendering)
    }
    if setsExitCode, !changes.isEmpty { throw ExitCode(1) }
  }

  private func lines(
    of changes: ShownChanges, _ title: String, _ titlePath: JSONPointer?
  ) -> [String] {
    if isNameOnly { return changes.ids.map { Output.line(of: $0) } }
    let text = DiffText(changes, titlePath: titlePath, colour.palette)
    return isStat ? text.counts(titled: title) : text.lines(titled: title)
  }
}

extension Output {
  /// Writes a delta document, or another rendering of its changes.
  static func delta(_ delta: Delta, _ rendering: Rendering? = nil) throws {
    try write(rendering?.encode(delta) ?? DeltaDocument(delta).encoded())
  }
}
