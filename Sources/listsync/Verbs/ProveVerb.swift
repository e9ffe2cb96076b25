import ArgumentParser
import ListDocuments
import ListModel
import SyncService

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
  @Option(help: .revision("The version whose cursor the proof shall lead to")) var until: Revision?
  @OptionGroup var store: StoreArguments
  /// Without effect, since the answer is always JSON.
  @OptionGroup var answer: AnswerOptions

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
