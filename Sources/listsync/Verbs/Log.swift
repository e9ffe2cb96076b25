import ArgumentParser
import ListDocuments
import ListModel
import ListStore
import SyncService
import Synchronization
import Terminal

struct Log: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows the versions of a list, or what happened to one item, newest first.",
    discussion: """
      With --stat, a bar shows the changes of each version: - removed, + inserted, > moved, \
      ~ updated.

      EXAMPLE
        listsync log parks -n 10
        listsync log parks --stat
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
  @Flag(name: .customLong("stat"), help: "Show the changes of each version as a bar, too.")
  var hasBars = false
  @OptionGroup var store: StoreOptions
  @OptionGroup var colour: ColourOptions
  @Flag(help: .json) var json = false

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("-n: the count must be 1 or more.") }
    if hasBars, !itemParts.isEmpty || json {
      throw ValidationError(
        "--stat: bars are for versions and for people; leave out --item, --json.")
    }
  }

  func run() async throws {
    let name = try ListName(argument: list)
    let service = try store.service()
    if itemParts.isEmpty {
      try await json ? writeVersions(of: name, service) : showVersions(of: name, service)
    } else {
      let written = WrittenID(itemParts.joined(separator: IDRule.separator))
      let id = try await written.id(in: name, service)
      try await showHistory(of: id, in: name, service)
    }
  }

  private func writeVersions(of name: ListName, _ service: SyncService) async throws {
    let array = JSONArrayOutput()
    var oldest: Version?
    try await service.log(of: name, limit: limit) { records in
      for record in records { try array.write { $0.members(of: record) } }
      oldest = records.last?.version
    }
    for record in try await prunes(of: name, below: oldest, service) {
      try array.write { writer in writer.member("pruned", object: { $0.members(of: record) }) }
    }
    try array.finish()
  }

  private func showVersions(of name: ListName, _ service: SyncService) async throws {
    let (palette, bar) = (colour.palette, hasBars ? try await changeBar(of: name, service) : nil)
    // The newest version has the longest number.
    var cursorWidth: Int?
    var oldest: Version?
    try await service.log(of: name, limit: limit) { records in
      for record in records {
        let width = cursorWidth ?? record.cursor.description.count
        cursorWidth = width
        try Self.show(record, cursorWidth: width, bar, palette)
      }
      oldest = records.last?.version
    }
    if oldest == nil { Output.note("\(list) has no versions yet") }
    for record in try await prunes(of: name, below: oldest, service) {
      try Output.line(palette.dim(record.line))
    }
  }

  private static func show(
    _ record: VersionRecord, cursorWidth: Int, _ bar: ChangeBar?, _ palette: Palette
  ) throws {
    let cursor = palette.yellow(record.cursor.description.padding(to: cursorWidth))
    let facts = "\(Wording.count(record.count, "item")): \(Wording.changes(record.changes))"
    try Output.line("\(cursor)  \(Wording.time(record.note.time))  \(facts)")
    if let note = words(of: record.note) { try Output.line("    \(note)") }
    if let bar { try Output.line("    \(bar.line(record.changes))") }
  }

  /// The scale of the bars, for which the log is read once more: it may be too long to be held.
  private func changeBar(of name: ListName, _ service: SyncService) async throws -> ChangeBar {
    var largest = 0
    try await service.log(of: name, limit: limit) { records in
      largest = max(largest, records.map(\.changes.total).max() ?? 0)
    }
    let taken = "    \(largest) ".count
    return ChangeBar(
      largestCount: largest, width: max(1, TerminalWidth.columns - taken), palette: colour.palette)
  }

  /// What was pruned below the last version that was shown; nothing where older ones are left.
  private func prunes(
    of name: ListName, below version: Version?, _ service: SyncService
  ) async throws -> [PruneRecord] {
    let prunes = try await service.prunes(of: name)
    guard let version, prunes.first?.newOldest == version else { return [] }
    return prunes
  }

  /// Message and author in one line; nil where there is neither.
  private static func words(of note: CommitNote) -> String? {
    let author = note.author.map { "(\(Output.printable($0)))" }
    let parts = [note.message.map(Output.printable), author].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }

  /// Writes each entry as it is read: nothing is kept of a long history.
  private func showHistory(
    of id: ItemID, in name: ListName, _ service: SyncService
  ) async throws {
    let left = Mutex(limit)
    let (json, palette) = (json, colour.palette)
    let array = JSONArrayOutput()
    try await service.history(of: id, in: name) { entry in
      if json {
        try array.write { $0.members(of: entry) }
      } else {
        try Self.show(entry, of: id, palette)
      }
      return left.withLock { left in
        left = left.map { $0 - 1 }
        return left != 0
      }
    }
    // Whatever happened to the item before is not known any more.
    let prunes = left.withLock { $0 } == 0 ? [] : try await service.prunes(of: name)
    for record in prunes {
      if json {
        try array.write { writer in writer.member("pruned", object: { $0.members(of: record) }) }
      } else {
        try Output.line(palette.dim(record.line))
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
