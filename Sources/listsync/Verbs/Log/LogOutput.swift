import ArgumentParser
import ListDocuments
import ListModel
import ListStore
import SyncService

/// The layout of an entry of a log.
enum EntryLayout: String, CaseIterable, ExpressibleByArgument {
  case oneline, full, ndjson
}

/// Writes the entries of a log: as JSON to an array or line by line, or as text.
struct LogOutput {
  /// The array of the entries; nil for other layouts.
  let array: JSONArrayOutput?
  /// Nil for the usual layout of two or three lines.
  let format: EntryLayout?
  /// The only member whose values are shown; nil for all members.
  let field: JSONPointer?
  /// Whether the members of inserted and removed items are shown.
  let isFull: Bool
  /// The member that is an item's title; nil for the usual members.
  let titlePath: JSONPointer?
  let palette: Palette
  var bar: ChangeBar?
  /// The width of the column of cursors, which the first entry sets.
  var cursorWidth: Int?
  /// The destination of the entries; nil for standard output.
  var spool: Spool?

  private func put(_ bytes: some Sequence<UInt8>) throws {
    if let spool { spool.append(bytes) } else { try Output.write(bytes) }
  }

  func writeLine(_ text: String) throws { try put((text + "\n").utf8) }

  func writeJSON(_ members: (inout JSONWriter) -> Void) throws -> Bool {
    if let array {
      try put(array.element(members))
    } else if format == .ndjson {
      try put(JSONWriter.object(members) + "\n".utf8)
    } else {
      return false
    }
    return true
  }

  mutating func write(_ record: VersionRecord, _ delta: Delta?) throws {
    let isWritten = try writeJSON { writer in
      writer.members(of: record)
      if let delta {
        writer.name("delta")
        writer.raw(String(decoding: DeltaDocument(delta).encoded(.line).dropLast(), as: UTF8.self))
      }
    }
    if isWritten { return }
    let width = max(cursorWidth ?? 0, record.cursor.short.count)
    cursorWidth = cursorWidth ?? width
    let cursor = palette.yellow(record.cursor.short.padding(to: width))
    let time = Wording.time(record.note.time)
    let changes = Wording.changes(record.changes)
    let words = Self.words(of: record.note)
    switch format {
    case .oneline: try writeLine("\(cursor)  \(time)  \(changes)\(words.map { "  \($0)" } ?? "")")
    case .full: try writeFull(record)
    case nil, .ndjson:
      let items = Wording.count(record.count, "item")
      try writeLine("\(cursor)  \(time)  \(items): \(changes)")
      if let words { try writeLine("    \(words)") }
    }
    if let bar { try writeLine("    \(bar.line(record.changes))") }
    guard let delta else { return }
    let text = DiffText(ShownChanges(delta.changes), titlePath: titlePath, palette)
    for line in text.lines { try writeLine("    \(line)") }
  }

  private func writeFull(_ record: VersionRecord) throws {
    let rows = [
      ("date", Wording.time(record.note.time)), ("author", record.note.author ?? ""),
      ("items", "\(record.count)"), ("changes", Wording.changes(record.changes)),
      ("root", "\(record.root)"), ("chain", "\(record.chain)"),
    ]
    try writeLine(palette.yellow("version \(record.cursor.short)"))
    for (name, value) in rows where !value.isEmpty {
      try writeLine("\(name.padding(to: 8))  \(Output.printable(value))")
    }
    let lines = record.note.message?.split(separator: "\n", omittingEmptySubsequences: false)
    for line in lines ?? [] { try writeLine("    \(Output.printable(String(line)))") }
    try writeLine("")
  }

  func write(_ record: PruneRecord) throws {
    if try writeJSON({ $0.object("pruned") { $0.members(of: record) } }) { return }
    try writeLine(palette.dim(record.line))
  }

  /// Whether an entry is shown: if there is a field, only entries in which its value changed.
  func shows(_ entry: ItemChange) -> Bool {
    field == nil || change(of: entry) != nil
  }

  /// The change of the field; nil if its value stayed the same.
  private func change(of entry: ItemChange) -> MemberChange? {
    guard let field else { return nil }
    let old = entry.oldContent.flatMap { ContentView($0).value(at: field)?.content }
    let new = entry.newContent.flatMap { ContentView($0).value(at: field)?.content }
    return old == new ? nil : MemberChange(path: field, old: old, new: new)
  }

  func write(_ entry: ItemChange, of id: ItemID) throws {
    let (record, id) = (entry.record, entry.formerID ?? id)
    let change = change(of: entry)
    let isWritten = try writeJSON { writer in
      guard let change else { return writer.members(of: entry) }
      writer.members(of: record)
      writer.member("path", change.path.description)
      if let old = change.old { writer.member("old", old) }
      if let new = change.new { writer.member("new", new) }
    }
    if isWritten { return }
    let event = change.map { Wording.values($0, palette) } ?? event(entry, id)
    let cursor = palette.yellow(record.cursor.short)
    let words = Self.words(of: record.note)
    let line = "\(cursor)  \(Wording.time(record.note.time))  \(event)"
    if format == .oneline { return try writeLine("\(line)\(words.map { "  \($0)" } ?? "")") }
    try writeLine(line)
    if change == nil {
      for change in memberChanges(of: entry) {
        try writeLine("    \(Wording.member(change, palette))")
      }
    }
    if let words { try writeLine("    \(palette.dim(words))") }
  }

  private func memberChanges(of entry: ItemChange) -> [MemberChange] {
    switch (entry.oldContent, entry.newContent) {
    case (nil, let content?) where isFull:
      content.members.map { .init(path: $0, old: nil, new: $1) }
    case (let content?, nil) where isFull:
      content.members.map { .init(path: $0, old: $1, new: nil) }
    default: entry.memberChanges
    }
  }

  private func event(_ entry: ItemChange, _ id: ItemID) -> String {
    switch (entry.from, entry.to) {
    case (nil, let to?):
      return palette.green("inserted at \(to)") + "  " + name(id, entry.newContent)
    case (let from?, nil):
      return palette.red("removed from \(from)") + "  " + name(id, entry.oldContent)
    case (let from?, let to?):
      let isUpdate = entry.oldContent != entry.newContent
      let verb = entry.isMove ? (isUpdate ? "moved and updated" : "moved") : "updated"
      return palette.cyan("\(verb), \(from) → \(to)")
    case (nil, nil): return "touched"
    }
  }

  private func name(_ id: ItemID, _ content: Content?) -> String {
    Wording.item(id, content, titlePath: titlePath)
  }

  /// Message and author in one line; nil if the commit has neither.
  private static func words(of note: CommitNote) -> String? {
    let author = note.author.map { "(\(Output.printable($0)))" }
    let merge = note.merge.map { "[merged changes to \($0.base.short)]" }
    let words = [note.text.map(Output.printable), author, merge, same(note)].compactMap { $0 }
    return words.isEmpty ? nil : words.joined(separator: " ")
  }
}

extension LogOutput {
  private static func same(_ note: CommitNote) -> String? {
    let items = note.sameItems
    let shown = items.prefix(3).map { Output.printable("\($0.old) → \($0.new)") }
    if items.isEmpty { return nil }
    let rest = items.count > shown.count ? ", and \(items.count - shown.count) more" : ""
    return "[same: \(shown.joined(separator: ", "))\(rest)]"
  }
}

extension Content {
  /// The members of an object; the content itself with an empty path for other kinds.
  fileprivate var members: [(path: JSONPointer, value: Content)] {
    let view = ContentView(self)
    guard view.kind == .object else { return [(JSONPointer(tokens: []), self)] }
    return view.members.map { (JSONPointer(tokens: [$0.name]), $0.value.content) }
  }
}
