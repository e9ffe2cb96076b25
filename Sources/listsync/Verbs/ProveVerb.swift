import ArgumentParser
import ListDocuments
import ListModel
import SyncService
import Terminal

struct ProveVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prove",
    abstract: "Prints a proof that a list had an item at a version.",
    discussion: """
      The document has the item, its index, and what leads from it to the cursor of the version: \
      some hashes of the list's tree and the header of the version. A reader with that cursor can \
      check it without the list and without this store. With --until, the headers of later \
      versions follow, for people who have a later cursor.

      EXAMPLE
        listsync prove parks zion > zion.proof
        listsync prove parks@7 zion --until head
        listsync check-proof zion.proof --cursor 7-3f9a1c2b7d40
      """)

  @Argument(
    help: ArgumentHelp("LIST or LIST@REV; REV is \(Revision.forms).", valueName: "list[@rev]"),
    completion: .targets, transform: ListRevision.init(argument:))
  var target: ListRevision
  @Argument(
    help: ArgumentHelp(
      "The item. Write all fields of a compound id, one after the other.", valueName: "id"))
  var fields: [String]
  @Option(help: .revision("The version whose cursor the proof shall lead to"))
  var until: Revision?
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let id = WrittenID(fields.joined(separator: IDRule.separator))
    do {
      let proof = try await ProgressLine.timing("reading \(target.list)") {
        try await store.service().prove(itemAmong: id.spellings, of: target, until: until)
      }
      try Output.write(proof.encoded())
    } catch ServiceError.itemAbsent(let id, _, _, _) {
      throw VerbError.absentItem(id, in: target.list.text)
    }
  }
}

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
      throw VerbError.refusedProof(file, error)
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
