import ArgumentParser
import ListDocuments
import ListModel
import ListStore
import SyncService
import Synchronization
import Terminal

struct Log: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows the versions of a list, or the history of one item, newest first.",
    discussion: """
      With --stat, a bar shows the changes of each version: - removed, + inserted, > moved, \
      ~ updated.

      EXAMPLE
        listsync log parks -n 10
        listsync log parks --stat
        listsync log parks --item denali
      """)

  @Argument(help: .list, completion: .lists, transform: ListName.init(argument:)) var list: ListName
  @Option(
    name: .customLong("item"),
    help: ArgumentHelp(
      "Show the history of this item. Repeat it for the fields of a compound id.", valueName: "id"))
  var itemFields: [String] = []
  @Option(
    name: .customShort("n"), help: ArgumentHelp("At most this many entries.", valueName: "count"),
    transform: Int.init(count:))
  var limit: Int?
  @Flag(name: .customLong("stat"), help: "Also show the changes of each version as a bar.")
  var hasBars = false
  @OptionGroup var store: StoreOptions
  @OptionGroup var colour: ColourOptions
  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    if hasBars, !itemFields.isEmpty || answer.isJSON {
      throw ValidationError("--stat: bars are for versions only; leave out --item and --json.")
    }
  }

  func run() async throws {
    let service = try store.service()
    let output = LogOutput(array: answer.isJSON ? JSONArrayOutput() : nil, palette: colour.palette)
    if itemFields.isEmpty {
      try await writeVersions(output, service)
    } else {
      let written = WrittenID(itemFields.joined(separator: IDRule.separator))
      try await writeHistory(of: written.id(in: list, service), output, service)
    }
    try output.array?.finish()
  }

  private func writeVersions(_ output: LogOutput, _ service: SyncService) async throws {
    let bar = hasBars ? try await changeBar(service) : nil
    // The newest version has the longest cursor.
    var cursorWidth: Int?
    var oldest: Version?
    try await service.log(of: list, limit: limit) { records in
      for record in records {
        let width = cursorWidth ?? record.cursor.description.count
        cursorWidth = width
        try output.write(record, cursorWidth: width, bar)
      }
      oldest = records.last?.version
    }
    if oldest == nil, !answer.isJSON { Output.diagnostic("\(list) has no versions yet") }
    let prunes = try await service.prunes(of: list)
    // Older versions may follow the last one that is shown.
    if let oldest, prunes.first?.newOldest == oldest { try prunes.forEach(output.write) }
  }

  /// The scale of the bars. Reads the log a first time, since it may be too long to keep in memory.
  private func changeBar(_ service: SyncService) async throws -> ChangeBar {
    var largest = 0
    try await service.log(of: list, limit: limit) { records in
      largest = max(largest, records.map(\.changes.total).max() ?? 0)
    }
    let usedColumns = "    \(largest) ".count
    return ChangeBar(
      largestCount: largest, width: max(1, ChangeBar.terminalWidth - usedColumns),
      palette: colour.palette)
  }

  /// Writes each entry as it is read, since the history may be too long to keep in memory.
  private func writeHistory(
    of id: ItemID, _ output: LogOutput, _ service: SyncService
  ) async throws {
    let remaining = Mutex(limit ?? .max)
    try await service.history(of: id, in: list) { entry in
      try output.write(entry, of: id)
      return remaining.withLock { remaining in
        remaining -= 1
        return remaining > 0
      }
    }
    // The item's earlier history was pruned.
    if remaining.withLock({ $0 }) > 0 {
      try await service.prunes(of: list).forEach(output.write)
    }
  }
}

/// Writes the entries of a log as JSON to an array, or as text if there is none.
private struct LogOutput {
  let array: JSONArrayOutput?
  let palette: Palette

  func write(_ record: VersionRecord, cursorWidth: Int, _ bar: ChangeBar?) throws {
    if let array { return try array.write { $0.members(of: record) } }
    let cursor = palette.yellow(record.cursor.description.padding(to: cursorWidth))
    let facts = "\(Wording.count(record.count, "item")): \(Wording.changes(record.changes))"
    try Output.line("\(cursor)  \(Wording.time(record.note.time))  \(facts)")
    if let words = Self.words(of: record.note) { try Output.line("    \(words)") }
    if let bar { try Output.line("    \(bar.line(record.changes))") }
  }

  func write(_ record: PruneRecord) throws {
    if let array {
      return try array.write { $0.object("pruned") { $0.members(of: record) } }
    }
    try Output.line(palette.dim(record.line))
  }

  func write(_ entry: ItemHistoryEntry, of id: ItemID) throws {
    if let array { return try array.write { $0.members(of: entry) } }
    let cursor = palette.yellow(entry.record.cursor.description)
    try Output.line("\(cursor)  \(Wording.time(entry.record.note.time))  \(event(entry, id))")
    for change in entry.memberChanges {
      try Output.line("    \(Wording.member(change, palette))")
    }
    if let words = Self.words(of: entry.record.note) {
      try Output.line("    \(palette.dim(words))")
    }
  }

  private func event(_ entry: ItemHistoryEntry, _ id: ItemID) -> String {
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

  /// Message and author in one line; nil if the commit has neither.
  private static func words(of note: CommitNote) -> String? {
    let author = note.author.map { "(\(Output.printable($0)))" }
    let words = [note.message.map(Output.printable), author].compactMap { $0 }
    return words.isEmpty ? nil : words.joined(separator: " ")
  }
}
