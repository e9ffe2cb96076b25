import ArgumentParser
import ListDocuments
import ListModel
import SyncService
import Synchronization

struct Log: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows the versions of a list, or what happened to one item, newest first.",
    discussion: """
      EXAMPLE
        listsync log parks -n 10
        listsync log parks --item denali
      """)

  @Argument(help: .list) var list: String
  @Option(
    name: .customLong("item"),
    help: ArgumentHelp(
      "The history of one item; repeat it for the parts of a compound id.", valueName: "id"))
  var itemParts: [String] = []
  @Option(
    name: .customShort("n"), help: ArgumentHelp("At most so many entries.", valueName: "count"))
  var limit: Int?
  @OptionGroup var store: StoreOptions
  @OptionGroup var colour: ColourOptions
  @Flag(help: .json) var json = false

  func run() async throws {
    let name = try ListName(argument: list)
    if let limit, limit < 1 { throw ValidationError("-n: the count must be 1 or more.") }
    if itemParts.isEmpty {
      try show(await store.service().log(of: name, limit: limit))
    } else {
      let id = ItemID(itemParts.joined(separator: IDRule.separator))
      try await showHistory(of: id, in: name)
    }
  }

  private func show(_ records: [VersionRecord]) throws {
    if json { return try Output.write(LogDocument.encode(records)) }
    if records.isEmpty { Output.note("\(list) has no versions yet") }
    let cursorWidth = records.map(\.cursor.description.count).max() ?? 0
    for record in records {
      let cursor = colour.palette.yellow(record.cursor.description.padding(to: cursorWidth))
      let facts = "\(Wording.count(record.count, "item")): \(Wording.changes(record.changes))"
      try Output.line("\(cursor)  \(Wording.time(record.note.time))  \(facts)")
      if let note = Self.words(of: record.note) { try Output.line("    \(note)") }
    }
  }

  /// Message and author in one line; nil where there is neither.
  private static func words(of note: CommitNote) -> String? {
    let author = note.author.map { "(\(Output.printable($0)))" }
    let parts = [note.message.map(Output.printable), author].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }

  /// Writes each entry as it is read: nothing is kept of a long history.
  private func showHistory(of id: ItemID, in name: ListName) async throws {
    let left = Mutex(limit)
    let (json, palette) = (json, colour.palette)
    let array = JSONArrayOutput()
    try await store.service().history(of: id, in: name) { entry in
      if json {
        try array.write { LogDocument.write(entry, to: &$0) }
      } else {
        try Self.show(entry, of: id, palette)
      }
      return left.withLock { left in
        left = left.map { $0 - 1 }
        return left != 0
      }
    }
    if json { try array.finish() }
  }

  private static func show(
    _ entry: ItemHistoryEntry, of id: ItemID, _ palette: Palette
  ) throws {
    let cursor = palette.yellow(entry.record.cursor.description)
    let what = event(entry, id, palette)
    try Output.line("\(cursor)  \(Wording.time(entry.record.note.time))  \(what)")
    for change in entry.memberChanges {
      try Output.line("    \(Wording.member(change, palette))")
    }
    if let note = words(of: entry.record.note) { try Output.line("    \(palette.dim(note))") }
  }

  private static func event(_ entry: ItemHistoryEntry, _ id: ItemID, _ palette: Palette) -> String {
    switch (entry.from, entry.to) {
    case (nil, let to?):
      return palette.green("inserted at \(to)") + "  " + Wording.item(id, entry.newContent)
    case (let from?, nil):
      return palette.red("removed from \(from)") + "  " + Wording.item(id, entry.oldContent)
    case (let from?, let to?):
      let isUpdate = entry.oldContent != entry.newContent
      let verb = entry.isMove ? (isUpdate ? "moved and updated" : "moved") : "updated"
      return palette.cyan("\(verb), \(from) → \(to)")
    case (nil, nil):
      return "touched"
    }
  }
}

/// The log as JSON.
enum LogDocument {
  static func encode(_ records: [VersionRecord]) -> [UInt8] {
    array(of: records) { record, writer in writer.members(of: record) }
  }

  static func write(_ entry: ItemHistoryEntry, to writer: inout JSONWriter) {
    writer.members(of: entry.record)
    if let from = entry.from { writer.member("from", from) }
    if let to = entry.to { writer.member("to", to) }
    writer.member("moved", entry.isMove)
    if let content = entry.newContent {
      writer.name("content")
      writer.content(content)
    }
    writer.member(
      "members",
      array: { writer in
        for change in entry.memberChanges { writer.object { $0.members(of: change) } }
      })
  }

  private static func array<Element>(
    of elements: [Element], _ write: (Element, inout JSONWriter) -> Void
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.array { writer in
      for element in elements {
        writer.lineBreak()
        writer.object { write(element, &$0) }
      }
    }
    return writer.bytes + "\n".utf8
  }
}

extension JSONWriter {
  fileprivate mutating func members(of record: VersionRecord) {
    member("cursor", record.cursor.description)
    member("version", record.version.number)
    member("committed_at", record.note.time.description)
    member("author", record.note.author)
    member("message", record.note.message)
    member("count", record.count)
    member("changes", record.changes)
    member("checksum", record.checksum.description)
    member("chain", record.chain.description)
  }

  fileprivate mutating func members(of change: MemberChange) {
    member("path", change.path.description)
    if let old = change.old {
      name("old")
      content(old)
    }
    if let new = change.new {
      name("new")
      content(new)
    }
  }
}
