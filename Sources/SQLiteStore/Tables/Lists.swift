import GRDB
import ListModel
import ListStore
import RawSQLite

extension StoreReader {
  func lists(_ selection: ListSelection) throws -> [ListRecord] {
    switch selection {
    case .all: try rows(of: .lists, Self.listColumns, "ORDER BY name", read: Self.list)
    case .names(let range):
      try rows(
        of: .lists, Self.listColumns,
        "WHERE name > ? AND name >= ? AND name < ? ORDER BY name LIMIT ?",
        .text(range.after?.text ?? ""), .text(range.prefix), .text(range.end),
        RawValue(range.limit ?? -1), read: Self.list)
    case .keys(let keys):
      try rows(
        of: .lists, Self.listColumns, by: "list_id", keys.map { RawValue($0) }, read: Self.list
      ).compactMap(\.self).sorted { $0.name < $1.name }
    }
  }

  func list(_ name: ListName) throws -> ListRecord? {
    try rows(of: .lists, Self.listColumns, "WHERE name = ?", .text(name.text), read: Self.list)
      .first
  }

  private static let listColumns = "list_id, name, head, oldest, id_rule"

  private static func list(_ row: RawStatement) throws -> ListRecord {
    let (head, oldest) = (Int(row.integer(2)), Int(row.integer(3)))
    let numbers = 0...Int(ListKey.largestSequence)
    guard let name = ListName(row.text(1)), numbers.contains(head), numbers.contains(oldest) else {
      throw DigestedTable.lists.brokenRules
    }
    return ListRecord(
      key: ListKey(rawValue: row.integer(0)), name: name, head: Version(head),
      oldest: Version(oldest), idRule: row.optionalText(4))
  }
}

extension StoreWriter {
  func createList(_ name: ListName) throws -> ListRecord {
    let key = try newListKey()
    try insert(
      into: .lists, .integer(key), .text(name.text), .integer(0), .integer(1), .null, .integer(1),
      .integer(0))
    return ListRecord(
      key: ListKey(rawValue: key), name: name, head: .zero, oldest: Version(1), idRule: nil)
  }

  /// A key that no list of this store ever had, so that nothing that was read of a dropped list can
  /// be taken for the new one's.
  ///
  /// Each creation of a list is a row of `changed_lists`, whose numbers never come again. So a key
  /// that is larger than all of them is new.
  private func newListKey() throws -> Int64 {
    let key = try Int64.fetchOne(
      db,
      sql: """
        SELECT 1 + max(
          (SELECT coalesce(max(list_id), 0) FROM lists),
          (SELECT coalesce(max(number), 0) FROM changed_lists))
        """)
    guard let key, key <= ListKey.largest else { throw StoreError.listFull }
    return key
  }

  func setIDRule(_ idRule: String, of list: ListKey) throws {
    try update(list, ["id_rule": "?2"], .text(idRule))
  }

  /// Gives a list's row a new value, bound as `?2`.
  func update(_ list: ListKey, _ changes: KeyValuePairs<String, String>, _ value: RawValue) throws {
    let sql = "UPDATE lists SET \(DigestedTable.lists.assignments(changes)) WHERE list_id = ?1"
    try RawStatement(self, sql).run(RawValue(list), value)
  }

  /// Moves the head of a list.
  ///
  /// - Parameter isOldest: whether the new head becomes the oldest version, too.
  /// - Returns: the sequence of the next row.
  /// - Throws: `StoreError.headMoved` when the head is not the old version.
  func moveHead(
    of list: ListKey, from old: Version, to new: Version, isOldest: Bool = false
  ) throws -> Int64 {
    let next = try Int64.fetchOne(
      db.cachedStatement(sql: isOldest ? Self.startAtHead : Self.moveHead),
      arguments: [list.rawValue, old.number, new.number])
    guard let next else { throw StoreError.headMoved }
    return next
  }

  private static let moveHead = headUpdate(["head": "?3"])
  private static let startAtHead = headUpdate(["head": "?3", "oldest": "?3"])

  private static func headUpdate(_ changes: KeyValuePairs<String, String>) -> String {
    """
    UPDATE lists SET \(DigestedTable.lists.assignments(changes))
    WHERE list_id = ?1 AND head = ?2 RETURNING next_change
    """
  }

  /// Records the sequence of the next row.
  func setNextRow(_ sequence: Int64, of list: ListKey) throws {
    guard list.holds(sequence) else { throw StoreError.listFull }
    try RawStatement(self, Self.setNextRow).run(RawValue(list), .integer(sequence))
  }

  private static let setNextRow = """
    UPDATE lists SET \(DigestedTable.lists.assignments(["next_change": "?2"])) WHERE list_id = ?1
    """
}
