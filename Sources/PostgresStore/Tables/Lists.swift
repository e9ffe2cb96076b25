import ListModel
import ListStore

/// A row of `lists`.
struct ListRow {
  var record: ListRecord
  var nextChange: Int64
  /// The sum of the digests of its table of ids.
  var idDigest: Int64

  init(_ row: SoundRow) throws {
    let (key, head, oldest) = (row.integer(0), row.integer(2), row.integer(3))
    let numbers = 0...ListKey.largestSequence
    guard let name = ListName(row.text(1)), numbers.contains(head), numbers.contains(oldest) else {
      throw Table.lists.brokenRules
    }
    record = ListRecord(
      key: ListKey(rawValue: key), name: name, head: Version(Int(head)),
      oldest: Version(Int(oldest)), idRule: row.optionalText(4))
    nextChange = row.integer(5)
    idDigest = row.integer(6)
  }

  /// The row of a new list.
  init(_ record: ListRecord) {
    (self.record, nextChange, idDigest) = (record, 1, 0)
  }
}

extension PostgresReader {
  func lists(_ selection: ListSelection) throws -> [ListRecord] {
    switch selection {
    case .all: try lists("ORDER BY name")
    case .names(let range):
      try lists(
        "WHERE name > $1 AND name >= $2 AND name < $3 ORDER BY name LIMIT $4",
        .text(range.after?.text ?? ""), .text(range.prefix), .text(range.end),
        range.limit.map { Value($0) } ?? .null)
    case .keys(let keys):
      try lists(
        "WHERE list_id = ANY($1::bigint[]) ORDER BY name", .integers(keys.map(\.rawValue)))
    }
  }

  private func lists(_ selection: String, _ values: Value...) throws -> [ListRecord] {
    try rows(of: .lists, selection, values) { try ListRow($0).record }
  }

  /// A writer locks the list's row: one writer of a list at a time. Where there is no list, it
  /// locks the name, so that two do not create the list.
  func list(_ name: ListName) throws -> ListRecord? {
    if let known = known.values.first(where: { $0.record.name == name }) { return known.record }
    if let row = try readRow("name = $1", .text(name.text)) { return row.record }
    guard self is PostgresWriter else { return nil }
    connection.ask(
      "SELECT 1 FROM pg_advisory_xact_lock(hashtextextended($1, 0))",
      [.string("\(schema) \(name.text)")]
    ) { _ in }
    return try readRow("name = $1", .text(name.text))?.record
  }

  /// The row of a list. It stays as it is during a transaction, unless the transaction changes it.
  func row(_ list: ListKey) throws -> ListRow {
    guard let row = try known[list] ?? readRow("list_id = $1", Value(list)) else {
      throw StoreError.corrupt(reason: "a list is missing")
    }
    return row
  }

  /// Reads the row of a list, its newest version, which versions have checkpoints, and for a writer
  /// the parts of the head: nearly every transaction needs them. A writer that waited for the lock
  /// may get no version here.
  func readRow(_ condition: String, _ value: Value) throws -> ListRow? {
    let lock = self is PostgresWriter ? " FOR UPDATE OF lists" : ""
    let names = [Table.lists, .versions].flatMap { table in
      table.allColumns.map { "\(table.rawValue).\($0)" }
    }
    var row: ListRow?
    connection.ask(
      """
      SELECT \(names.joined(separator: ", ")) FROM \(name(.lists)) AS lists
      LEFT JOIN \(name(.versions)) AS versions
        ON versions.list_id = lists.list_id AND versions.version = lists.head
      WHERE lists.\(condition)\(lock)
      """, [value]
    ) { [self] found in
      let list = try ListRow(SoundRow(found, of: .lists))
      row = list
      let first = Table.lists.allColumns.count
      guard !found.isNull(first) else { return }
      let version = try VersionRow(SoundRow(found, of: .versions, from: first))
      versionRows[list.record.key, default: [:]][version.record.version.number] = version
    }
    let ofList = "list_id = (SELECT list_id FROM \(name(.lists)) WHERE \(condition))"
    var parts: [HeadOrder.Part] = []
    if self is PostgresWriter {
      connection.ask(headPartsQuery(ofList), [value]) { parts.append(try Self.headPart($0)) }
    }
    askExpectedIDs(ofList, value) { row?.record.key }
    askExpectedVersions(ofList, value) { row?.record.key }
    // Changes are counted from a checkpoint on.
    connection.ask(
      """
      SELECT \(columns(of: .versions)) FROM \(name(.versions)) WHERE \(ofList) AND version IN (
        SELECT 1 UNION ALL (SELECT version + 1 FROM \(name(.checkpoints))
          WHERE \(ofList) AND part = 0 ORDER BY version DESC LIMIT 16))
      """, [value]
    ) { [self] found in
      guard let key = row?.record.key else { return }
      let version = try VersionRow(SoundRow(found, of: .versions))
      versionRows[key, default: [:]][version.record.version.number] = version
    }
    var versions: [Version] = []
    try connection.query(
      "SELECT version FROM \(name(.checkpoints)) WHERE part = 0 AND \(ofList) ORDER BY version",
      [value]
    ) { versions.append(Version(Int($0.integer(0)))) }
    guard let row else { return nil }
    keepExpectedIDs(of: row.record.key)
    expectedVersions = nil
    known[row.record.key] = row
    checkpointVersions[row.record.key] = versions
    if self is PostgresWriter { headParts[row.record.key] = parts }
    return row
  }
}

extension PostgresWriter {
  func createList(_ name: ListName) throws -> ListRecord {
    // At random, since keys in order could be given to two lists at once. A key that another list
    // has is refused by the table, and a dropped list's hardly ever comes again.
    let key = Int64.random(in: 1...ListKey.largest)
    let record = ListRecord(
      key: ListKey(rawValue: key), name: name, head: .zero, oldest: Version(1), idRule: nil)
    write(ListRow(record), isNew: true)
    return record
  }

  private func write(_ row: ListRow, name: ListName? = nil, isNew: Bool = false) {
    let record = row.record
    known[record.key] = name == nil ? row : nil
    changedKeys.insert(record.key.rawValue)
    insert(
      into: .lists, Value(record.key), .text((name ?? record.name).text), Value(record.head),
      Value(record.oldest), Value(record.idRule), .integer(row.nextChange),
      .integer(row.idDigest), isNew: isNew)
  }

  func setIDRule(_ idRule: String, of list: ListKey) throws {
    var row = try row(list)
    let old = row.record
    row.record = ListRecord(
      key: old.key, name: old.name, head: old.head, oldest: old.oldest, idRule: idRule)
    write(row)
  }

  func rename(_ list: ListKey, _ record: FormerList) throws {
    guard let newName = record.newName else { preconditionFailure("the record has the new name") }
    try write(row(list), name: newName)
    try insert(record)
  }

  func setOldest(_ oldest: Version, of list: ListKey) throws {
    var row = try row(list)
    let old = row.record
    row.record = ListRecord(
      key: old.key, name: old.name, head: old.head, oldest: oldest, idRule: old.idRule)
    write(row)
  }

  /// Moves the head of a list, which ``finishHead(of:nextChange:)`` stores.
  ///
  /// - Parameter isOldest: whether the new head becomes the oldest version, too.
  /// - Returns: the number of the next change.
  /// - Throws: `StoreError.headMoved` when the head is not the old version.
  func moveHead(
    of list: ListKey, from old: Version, to new: Version, isOldest: Bool = false
  ) throws -> Int64 {
    var row = try row(list)
    let record = row.record
    guard record.head == old else { throw StoreError.headMoved }
    row.record = ListRecord(
      key: list, name: record.name, head: new, oldest: isOldest ? new : record.oldest,
      idRule: record.idRule)
    // Stored with the number of the next change.
    known[list] = row
    return row.nextChange
  }

  /// Records the number of the next change.
  func finishHead(of list: ListKey, nextChange: Int64) throws {
    guard list.holds(nextChange) else { throw StoreError.listFull }
    var row = try row(list)
    row.nextChange = nextChange
    write(row)
  }

  func update(_ list: ListKey, _ change: (inout ListRow) -> Void) throws {
    var row = try row(list)
    change(&row)
    write(row)
  }
}
