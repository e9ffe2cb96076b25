import ListModel
import RawSQLite

/// The versions of a list in an export.
extension ExportFile {
  /// The newest version of a list; nil if there is none.
  func newest(of list: ListName) throws -> Cursor? {
    var newest: Cursor?
    try run(
      "SELECT cursor FROM versions WHERE list = ? ORDER BY version DESC LIMIT 1",
      [.text(list.text)]
    ) { newest = Cursor($0.text(0)) }
    return newest
  }

  /// Removes all versions of a list.
  func remove(_ list: ListName) throws {
    for table in ["items", "versions"] + (try hasMembers() ? ["members"] : []) {
      try run("DELETE FROM \(table) WHERE list = ?", [.text(list.text)])
    }
  }

  /// Removes the versions before the oldest one, and the rows that only they have.
  ///
  /// - Returns: the number of versions.
  func prune(_ list: ListName, before oldest: Version) throws -> Int {
    let values: [RawValue] = [.text(list.text), .integer(Int64(oldest.number))]
    let count = try integer(
      "SELECT count(*) FROM versions WHERE list = ?1 AND version < ?2", values)
    guard let count, count > 0 else { return 0 }
    try run("DELETE FROM versions WHERE list = ?1 AND version < ?2", values)
    try run("DELETE FROM items WHERE list = ?1 AND until <= ?2", values)
    try run("UPDATE items SET since = ?2 WHERE list = ?1 AND since < ?2", values)
    // As in an export that begins here: the step to this version is gone.
    try run(
      """
      UPDATE versions SET removed = NULL, moved = NULL, inserted = NULL, updated = NULL
      WHERE list = ?1 AND version = ?2
      """, values)
    return Int(count)
  }

  /// Writes a version, without its rows.
  func insert(_ delta: Delta, of list: ListName) throws {
    guard let header = delta.to.header else { return }
    let counts = delta.from.version.next == header.version ? ChangeCounts(delta.changes) : nil
    func value(_ count: Int?) -> RawValue { count.map { .integer(Int64($0)) } ?? .null }
    func value(_ text: String?) -> RawValue { text.map(RawValue.text) ?? .null }
    try run(
      "INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .text(list.text), .integer(Int64(header.version.number)),
        .text(header.cursor.description), .text("\(header.root)"),
        .text(header.note.time.sortableText), value(header.note.author),
        value(header.note.message), value(delta.to.count), value(counts?.removed),
        value(counts?.moved), value(counts?.inserted), value(counts?.updated),
      ])
  }
}

extension Timestamp {
  /// RFC 3339 with milliseconds, always of one length: the texts sort like the times.
  fileprivate var sortableText: String {
    let text = description
    return text.utf8.contains(UInt8(ascii: ".")) ? text : text.dropLast() + ".000Z"
  }
}
