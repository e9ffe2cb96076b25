import ArgumentParser
import ListDocuments
import ListModel
import ListStore
import SyncService

struct Tag: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tag",
    abstract: "Tags a version, which is then never pruned; or shows the tags of a list.",
    discussion: """
      You can write a tag wherever a REV is expected. It is 1 to 100 letters (A-Z, a-z), digits, \
      dots, underscores or hyphens, starting with a letter or underscore. It is not 'head', and \
      has no two dots in a row: 'diff' reads them as a range of versions.

      EXAMPLE
        listsync tag parks spring head~1
        listsync tag parks
        listsync tag -d parks spring
      """)

  @Argument(help: .list, completion: .lists, transform: ListName.init(argument:)) var list: ListName
  @Argument(
    help: ArgumentHelp("The tag; leave it out to show all tags.", valueName: "name"),
    completion: .tags, transform: TagName.init(argument:))
  var name: TagName?
  @Argument(help: .revision("The version to tag (default: head)")) var revision: Revision?
  @Flag(name: [.customShort("d"), .customLong("delete")], help: "Remove the tag.")
  var isDeletion = false
  @Flag(help: "Move the tag from another version.") var force = false
  @OptionGroup var store: StoreArguments
  @OptionGroup var times: TimeOptions
  @OptionGroup var colour: ColourOptions
  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    if isDeletion, name == nil { throw ValidationError("-d: name the tag to remove.") }
    if isDeletion, revision != nil { throw ValidationError("-d: name the tag, not a version.") }
    if force, name == nil || isDeletion { throw ValidationError("--force: name a tag to set.") }
  }

  func run() async throws {
    guard let name else { return try await showAll() }
    let service = try store.service(for: .writing)
    if isDeletion {
      try report(await service.removeTag(name, of: list))
    } else {
      try report(await service.tag(name, of: list, at: revision ?? .head, isForced: force))
    }
  }

  private func report(_ outcome: TagOutcome) throws {
    let entry = outcome.entry
    let (word, result) =
      switch outcome {
      case .tagged: ("tagged", "tagged \(entry.tag.name)")
      case .unchanged: ("unchanged", "unchanged; it has the tag \(entry.tag.name) already")
      case .moved(_, let old): ("moved", "tagged \(entry.tag.name), moved from \(old)")
      }
    try answer.write("\(list) \(entry.record.cursor.short): \(result)") { writer in
      writer.member("list", list.text)
      writer.member("outcome", word)
      writer.members(of: entry)
    }
  }

  private func report(_ tag: TagRecord) throws {
    try answer.write("\(list) \(tag.version): no longer tagged \(tag.name)") { writer in
      writer.member("list", list.text)
      writer.member("outcome", "removed")
      writer.member("tag", tag.name.text)
      writer.member("version", tag.version.number)
    }
  }

  private func showAll() async throws {
    let entries = try await store.service().tags(of: list)
    if answer.isJSON { return try JSONArrayOutput.write(entries) { $0.members(of: $1) } }
    if entries.isEmpty { return Output.diagnostic("\(list) has no tags yet") }
    let counts = Wording.counts(entries.map(\.record.count), "item")
    let rows = zip(entries, counts).map { entry, count in
      [entry.tag.name.text, entry.record.cursor.short, Wording.time(entry.record.note.time), count]
    }
    let palette = colour.palette
    try Table(rows: rows, paddedCount: 3).write { cell, column in
      column == 1 ? palette.yellow(cell) : cell
    }
  }
}

extension TagName: ArgumentValue {
  package static var argumentRule: String { "a tag is \(rule)." }
}
