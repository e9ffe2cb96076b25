import ArgumentParser
import ListDocuments
import ListModel
import ListStore
import SyncService
import Terminal

struct Tag: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Names a version, which is then not pruned; or shows the names of a list's versions.",
    discussion: """
      A tag stands wherever a REV is taken. It is 1 to 100 letters (A-Z, a-z), digits, dots, \
      underscores or hyphens, starting with a letter or underscore, and not 'head'.

      EXAMPLE
        listsync tag parks spring head~1
        listsync tag parks
        listsync tag -d parks spring
      """)

  @Argument(help: .list) var list: String
  @Argument(help: ArgumentHelp("The tag; none to show all.", valueName: "name")) var name: String?
  @Argument(help: .revision("The version to be named (default: head)"))
  var revision: RevisionArgument?
  @Flag(name: [.customShort("d"), .customLong("delete")], help: "Remove the tag.")
  var isDeletion = false
  @Flag(help: "Name this version even where another one bears the tag.") var force = false
  @OptionGroup var store: StoreOptions
  @OptionGroup var colour: ColourOptions
  @Flag(help: .json) var json = false

  func validate() throws {
    if isDeletion, name == nil { throw ValidationError("-d: name the tag to remove.") }
    if isDeletion, revision != nil { throw ValidationError("-d: a tag is removed by name alone.") }
    if force, name == nil || isDeletion { throw ValidationError("--force: name a tag to set.") }
  }

  func run() async throws {
    let list = try ListName(argument: list)
    guard let name else { return try await showAll(of: list) }
    guard let tag = TagName(name) else {
      throw ValidationError("'\(name)' is not a tag: use \(TagName.rule).")
    }
    let service = try store.existingService()
    if isDeletion {
      try report(await service.removeTag(tag, of: list), of: list)
    } else {
      let revision = revision?.revision ?? .head
      try report(
        await service.tag(tag, of: list, at: revision, isForced: force), of: list)
    }
  }

  private func report(_ outcome: TagOutcome, of list: ListName) throws {
    let entry = outcome.entry
    let deed =
      switch outcome {
      case .tagged: "tagged \(entry.tag.name)"
      case .unchanged: "unchanged; it is \(entry.tag.name) already"
      case .moved(_, let old): "tagged \(entry.tag.name), which was \(old)"
      }
    try answer("\(list) \(entry.record.cursor): \(deed)") { writer in
      writer.member("list", list.text)
      writer.member("outcome", Self.word(for: outcome))
      writer.members(of: entry)
    }
  }

  private func answer(_ line: String, _ members: (inout JSONWriter) -> Void) throws {
    try Output.answer(keeping: line) {
      if json { try Output.write(Self.document(members)) } else { try Output.line(line) }
    }
  }

  private static func word(for outcome: TagOutcome) -> String {
    switch outcome {
    case .tagged: "tagged"
    case .unchanged: "unchanged"
    case .moved: "moved"
    }
  }

  private func report(_ tag: TagRecord, of list: ListName) throws {
    try answer("\(list) \(tag.version): no longer tagged \(tag.name)") { writer in
      writer.member("list", list.text)
      writer.member("outcome", "removed")
      writer.member("tag", tag.name.text)
      writer.member("version", tag.version.number)
    }
  }

  private func showAll(of list: ListName) async throws {
    let entries = try await store.service().tags(of: list)
    if json {
      let array = JSONArrayOutput()
      for entry in entries { try array.write { $0.members(of: entry) } }
      return try array.finish()
    }
    if entries.isEmpty { return Output.note("\(list) has no tags yet") }
    let palette = colour.palette
    let nameWidth = entries.map(\.tag.name.text.count).max() ?? 0
    let cursorWidth = entries.map(\.record.cursor.description.count).max() ?? 0
    for entry in entries {
      let name = entry.tag.name.text.padding(to: nameWidth)
      let cursor = palette.yellow(entry.record.cursor.description.padding(to: cursorWidth))
      let items = Wording.count(entry.record.count, "item")
      try Output.line("\(name)  \(cursor)  \(Wording.time(entry.record.note.time))  \(items)")
    }
  }

  private static func document(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    writer.object(members)
    return writer.bytes + "\n".utf8
  }
}
