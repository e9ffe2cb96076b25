import ArgumentParser
import ListDocuments
import ListModel
import SyncService
import Terminal

struct BlameVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "blame",
    abstract: "Shows who last set each item of a list, or each member of an item.",
    discussion: """
      Each line has the version that inserted or last changed the item or member, its date and \
      author, and how often it changed since it was inserted. Moves don't count. 'pruned' stands \
      for a version that is not kept.

      EXAMPLE
        listsync blame parks
        listsync blame films --item tt0111161
      """)

  @Argument(help: .list, completion: .lists, transform: ListName.init(argument:)) var list: ListName
  @Option(
    name: .customLong("item"),
    help: ArgumentHelp(
      "Show the members of this item. Repeat it for the fields of a compound id.", valueName: "id"))
  var itemFields: [String] = []
  @OptionGroup var store: StoreOptions
  @OptionGroup var times: TimeOptions
  @OptionGroup var colour: ColourOptions
  @OptionGroup var pager: PagerOptions
  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    try await pager.page {
      let service = try store.service()
      guard !itemFields.isEmpty else {
        return try write(await service.blame(list), { ["", Wording.item($0.id, $0.content)] }) {
          $0.member("id", $1.id.text)
        }
      }
      let written = WrittenID(itemFields.joined(separator: IDRule.separator))
      let members = try await service.blame(written.id(in: list, service), in: list)
      try write(
        members.map { (Member(path: $0.path, value: $0.value), $0.by) },
        { ["\(Wording.path($0.path))", Wording.short($0.value)] }
      ) {
        $0.member("path", $1.path.description)
        $0.member("value", $1.value)
      }
    }
  }

  private struct Member {
    let path: JSONPointer
    let value: Content
  }

  /// - Parameters:
  ///   - words: the cells of an entry, after those of its attribution.
  ///   - members: writes what identifies an entry.
  private func write<Subject>(
    _ entries: [(Subject, Attribution)], _ words: (Subject) -> [String],
    _ members: (inout JSONWriter, Subject) -> Void
  ) throws {
    if answer.isJSON {
      return try JSONArrayOutput.write(entries) { writer, entry in
        members(&writer, entry.0)
        writer.members(of: entry.1)
      }
    }
    let rows = entries.map { subject, by in
      [
        by.record?.cursor.description ?? "pruned",
        by.record.map { Wording.time($0.note.time) } ?? "",
        by.record?.note.author.map(Output.printable) ?? "", Wording.count(by.changeCount, "change"),
      ] + words(subject).filter { !$0.isEmpty }
    }
    let palette = colour.palette
    try Table(rows: rows, paddedCount: itemFields.isEmpty ? 4 : 5).write {
      $1 == 0 ? palette.yellow($0) : $0
    }
  }
}
