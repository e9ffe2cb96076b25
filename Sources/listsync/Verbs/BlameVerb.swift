import ArgumentParser
import ListDocuments
import ListModel
import SyncService

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
  @OptionGroup var item: ItemOptions
  @OptionGroup var store: StoreArguments
  @OptionGroup var times: TimeOptions
  @OptionGroup var colour: ColourOptions
  @OptionGroup var pager: PagerOptions
  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    try await pager.page {
      let service = try store.service()
      guard let written = item.id else {
        let titlePath = try await service.titlePath(of: list)
        return try write(
          await service.blame(list),
          { ["", Wording.item($0.id, $0.content, titlePath: titlePath)] }
        ) {
          $0.member("id", $1.id.text)
        }
      }
      let members = try await members(of: written.id(in: list, service), service)
      try write(members, { [Wording.path($0.path), Wording.short($0.value)] }) {
        $0.member("path", $1.path.description)
        $0.member("value", $1.value)
      }
    }
  }

  /// - Throws: `VerbError.absentItem`.
  private func members(
    of id: ItemID, _ service: SyncService
  ) async throws -> [((path: JSONPointer, value: Content), Attribution)] {
    do {
      return try await service.blame(id, in: list).map { path, value, by in
        ((path, value), by)
      }
    } catch ServiceError.itemAbsent(let id, let list, _, _) {
      throw VerbError.absentItem(id, in: list.text)
    }
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
        by.record?.cursor.short ?? "pruned",
        by.record.map { Wording.time($0.note.time) } ?? "",
        by.record?.note.author.map(Output.printable) ?? "", Wording.count(by.changeCount, "change"),
      ] + words(subject).filter { !$0.isEmpty }
    }
    let palette = colour.palette
    try Table(rows: rows, paddedCount: item.id == nil ? 4 : 5).write {
      $1 == 0 ? palette.yellow($0) : $0
    }
  }
}
