import ArgumentParser
import ListDocuments
import ListModel

struct CheckProof: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-proof",
    abstract: "Checks a proof of an item, without a store.",
    discussion: """
      The cursor must be one that you kept, or that somebody gave you whom you trust: without it, \
      a proof shows nothing. All 32 digits prove the most; the first 8 or more are compared too.

      EXAMPLE
        listsync check-proof zion.proof --cursor 7-3f9a1c2b7d40c5e6918f20aa3b7714de
      """)

  @Argument(help: "The proof's file, or - for standard input.", completion: .file())
  var file: String
  @Option(
    help: ArgumentHelp(
      "The cursor of the proof's last version.", valueName: "cursor"),
    transform: { text in
      guard let cursor = Cursor(given: text) else {
        throw ValidationError("write the cursor as 7-3f9a1c2b7d40.")
      }
      return cursor
    })
  var cursor: Cursor
  @OptionGroup var answer: AnswerOptions

  func run() throws {
    let limits = try Settings.limits()
    let bytes = try InputFile.bytes(of: file, limits: limits)
    let proof: ListProof
    do throws(ProofError) {
      proof = try ListProof(bytes, limits: limits)
      try proof.check(against: cursor)
    } catch {
      throw VerbError.refused(file, error)
    }
    if answer.isJSON { return try Output.object { $0.members(of: proof) } }
    let (state, note) = (proof.state, proof.state.header?.note)
    let origin = [note.map { Wording.time($0.time) }, note?.author].compactMap(\.self)
    try Output.line(
      """
      \(proof.list) \(state.knownCursor.short), \(origin.joined(separator: ", ")): \
      '\(Output.printable(proof.item.id.text))' is at index \(proof.index) of \
      \(Wording.count(state.count, "item"))
      """)
    try Output.line(Output.printable(proof.item.content.description))
  }
}

extension JSONWriter {
  fileprivate mutating func members(of proof: ListProof) {
    member("list", proof.list.text)
    member("id", proof.item.id.text)
    member("index", proof.index)
    member("content", proof.item.content)
    object("version") { $0.members(proving: proof.state) }
    member("cursor", (proof.laterStates.last ?? proof.state).knownCursor.description)
  }
}
