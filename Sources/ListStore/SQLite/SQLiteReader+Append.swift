import Foundation
import GRDB
import ListChanges
import ListModel

extension SQLiteReader: ListWriter {
  func createList(_ name: ListName) throws -> ListRecord {
    try db.execute(
      sql: "INSERT INTO lists (name, head, oldest) VALUES (?, 0, 1)", arguments: [name.text])
    return ListRecord(
      key: ListKey(rawValue: db.lastInsertedRowID), name: name, head: .zero, oldest: Version(1),
      idRule: nil)
  }

  func setIDRule(_ idRule: String, of list: ListKey) throws {
    try db.execute(
      sql: "UPDATE lists SET id_rule = ? WHERE list_id = ?", arguments: [idRule, list.rawValue])
  }

  func append(
    _ record: VersionRecord, step: ChangeSet<Item>, to list: ListKey,
    headItem: (_ index: Int) -> StoredItem
  ) throws {
    try advanceHead(of: list, to: record.version)
    let firstChange = try nextChange(of: list)
    var log = try LogWriter(reader: self, list: list, firstChange: firstChange)
    try log.write(step, headItem: headItem)
    try insert(record, into: list, firstChange: firstChange, count: log.count)
  }

  private func advanceHead(of list: ListKey, to version: Version) throws {
    try db.execute(
      sql: "UPDATE lists SET head = head + 1 WHERE list_id = ? AND head = ?",
      arguments: [list.rawValue, version.number - 1])
    guard db.changesCount == 1 else { throw StoreError.headMoved }
  }

  /// The first number after the list's last change.
  private func nextChange(of list: ListKey) throws -> Int64 {
    let next = try Int64.fetchOne(
      db,
      sql: """
        SELECT first_change + change_count FROM versions WHERE list_id = ?
        ORDER BY version DESC LIMIT 1
        """, arguments: [list.rawValue])
    return next ?? list.rawValue << 40 + 1
  }

  private func insert(
    _ record: VersionRecord, into list: ListKey, firstChange: Int64, count: Int64
  ) throws {
    try db.execute(
      sql: """
        INSERT INTO versions (list_id, version, first_change, change_count, committed_at, author,
          message, item_count, removed, moved, inserted, updated, checksum, chain)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        list.rawValue, record.version.number, firstChange, count,
        record.note.time.millisecondsSince1970, record.note.author, record.note.message,
        record.count, record.changes.removed, record.changes.moved, record.changes.inserted,
        record.changes.updated, Data(record.checksum.bytes), Data(record.chain.bytes),
      ])
  }
}

/// Writes the rows of one step, giving out their numbers.
private struct LogWriter {
  private let reader: SQLiteReader
  private let list: ListKey
  private let firstChange: Int64
  private let insertion: RawStatement
  private(set) var count: Int64 = 0

  init(reader: SQLiteReader, list: ListKey, firstChange: Int64) throws {
    self.reader = reader
    self.list = list
    self.firstChange = firstChange
    insertion = try RawStatement(
      reader.db,
      """
      INSERT INTO changes (change_id, list_id, kind, item, id, old_index, new_index, old_content,
        new_content, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
  }

  private var nextChange: Int64 { firstChange + count }

  /// One row a changed item: an item that moved and changed has one.
  mutating func write(_ step: ChangeSet<Item>, headItem: (Int) -> StoredItem) throws {
    let updates = Dictionary(uniqueKeysWithValues: step.updated.map { ($0.from, $0.new.content) })
    for removal in step.removed {
      try write(.remove, headItem(removal.from), from: removal.from, to: nil, content: nil)
    }
    for move in step.moved {
      try write(
        .move, headItem(move.from), from: move.from, to: move.to, content: updates[move.from])
    }
    for insertion in step.inserted { try write(insertion) }
    let moved = Set(step.moved.map(\.from))
    for update in step.updated where !moved.contains(update.from) {
      try write(
        .update, headItem(update.from), from: update.from, to: update.to,
        content: update.new.content)
    }
  }

  /// - Parameter content: the new content, or nil when it stays.
  private mutating func write(
    _ kind: ChangeKind, _ item: StoredItem, from: Int, to: Int?, content: Content?
  ) throws {
    let known = try content.map { try contentKey(of: $0, item: item.id) } ?? item.content
    try insert(
      kind, item: item.id, id: nil, from: from, to: to, oldContent: item.content,
      newContent: kind == .remove ? nil : known, content: content)
  }

  private mutating func write(_ insertion: ChangeSet<Item>.Insertion) throws {
    let item = insertion.element
    let known = try reader.key(of: item.id, in: list)
    let content = try known.map { try contentKey(of: item.content, item: $0) }
    try insert(
      .insert, item: known ?? ItemKey(rawValue: nextChange), id: known == nil ? item.id : nil,
      from: nil, to: insertion.to, oldContent: nil,
      newContent: content ?? ContentKey(rawValue: nextChange), content: item.content)
  }

  /// The key of a content that the item had before, or that of the row to be written next.
  private func contentKey(of content: Content, item: ItemKey) throws -> ContentKey {
    let statement = try RawStatement(
      reader.db,
      """
      SELECT change_id FROM changes WHERE change_id = ?1 AND content = ?2
      UNION ALL
      SELECT change_id FROM changes WHERE item = ?1 AND item <> change_id AND content = ?2
      LIMIT 1
      """)
    statement.bind(item.rawValue, at: 1)
    statement.bind(text: content.bytes, at: 2)
    defer { statement.reset() }
    return ContentKey(rawValue: try statement.step() ? statement.integer(0) : nextChange)
  }

  /// - Parameter content: written only where the row is the one that its key names.
  private mutating func insert(
    _ kind: ChangeKind, item: ItemKey, id: ItemID?, from: Int?, to: Int?,
    oldContent: ContentKey?, newContent: ContentKey?, content: Content?
  ) throws {
    insertion.bind(nextChange, at: 1)
    insertion.bind(list.rawValue, at: 2)
    insertion.bind(kind.rawValue, at: 3)
    insertion.bind(item.rawValue, at: 4)
    if let id { insertion.bind(text: id.text.utf8, at: 5) }
    insertion.bind(from.map(Int64.init), at: 6)
    insertion.bind(to.map(Int64.init), at: 7)
    insertion.bind(oldContent?.rawValue, at: 8)
    insertion.bind(newContent?.rawValue, at: 9)
    if let content, newContent?.rawValue == nextChange {
      insertion.bind(text: content.bytes, at: 10)
    }
    try insertion.run()
    count += 1
  }
}
