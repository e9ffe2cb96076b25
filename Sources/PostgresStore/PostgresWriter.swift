import ListChanges
import ListModel
import ListStore

/// `ListWriter` as SQL inside one transaction: what concerns several tables here, the rest grouped
/// by table in `Tables`.
final class PostgresWriter: PostgresReader, ListWriter {
  typealias Proof = (list: ListKey, record: VersionRecord)
  /// The last version that this transaction appends: the proof that it was kept.
  private(set) var appended: Proof?
  /// The numbers of the lists that this transaction changes; 0 if it records tokens or former
  /// lists.
  var changedKeys: Set<Int64> = []

  /// Counts this transaction among those that wrote, and records which lists it changed.
  ///
  /// The count is the sum of a few rows. A transaction increases one that no other one holds at the
  /// moment, and adds a row if there is none: so no writer waits for another list's writer. For
  /// each of these rows, the lists of the last transactions stay on record.
  func markState() {
    connection.queue(
      """
      WITH free AS (SELECT slot FROM \(schema).marks LIMIT 1 FOR UPDATE SKIP LOCKED),
      counted AS (
        UPDATE \(schema).marks SET number = number + 1 FROM free WHERE marks.slot = free.slot
        RETURNING marks.slot, marks.number),
      added AS (
        INSERT INTO \(schema).marks (slot, number)
        SELECT $2, 1 WHERE NOT EXISTS (SELECT 1 FROM free)
        RETURNING slot, number),
      used AS (SELECT slot, number FROM counted UNION ALL SELECT slot, number FROM added),
      old AS (
        DELETE FROM \(schema).changed_lists AS old USING used
        WHERE old.slot = used.slot AND old.number <= used.number - \(Self.recordedCount))
      INSERT INTO \(schema).changed_lists (slot, number, list_id)
      SELECT slot, number, list_id FROM used, unnest($1::bigint[]) AS list_id
      """, [.integers(changedKeys.sorted()), .integer(.random(in: 1 ... .max))])
  }

  func append(
    _ step: ChangeSet<Item>, after head: Version, to list: ListKey, order: inout HeadOrder,
    record: () -> VersionRecord
  ) throws {
    let firstChange = try moveHead(of: list, from: head, to: head.next)
    let (stored, introduced) = try insertRows(of: list, from: firstChange) { writer in
      try writer.write(step, to: &order, asking: self)
    }
    try add(introduced, to: list, isFirst: firstChange == 1)
    let record = record()
    insert(record, into: list, firstChange: firstChange)
    try order.apply(stored)
    try write(&order, of: list)
    appended = (list, record)
  }

  /// The rows that introduce the items are like the old rows that pruning leaves: they hold ids and
  /// contents, and are no step.
  func start(
    _ list: ListKey, at record: VersionRecord, nextItem: () throws -> Item
  ) throws {
    precondition(record.version > Version(1), "version 1 has a step of its own")
    let firstChange = try moveHead(of: list, from: .zero, to: record.version, isOldest: true)
    let (items, introduced) = try insertRows(of: list, from: firstChange) { writer in
      // Reserves nothing: a damaged bundle may have any count.
      var items: [StoredItem] = []
      for index in 0..<record.count { items.append(try writer.introduce(nextItem(), at: index)) }
      return items
    }
    try checkDistinct(introduced, of: list)
    try add(introduced, to: list, isFirst: true)
    insert(record, into: list, firstChange: firstChange)
    var order = HeadOrder(items)
    try write(&order, of: list)
    try writeCheckpoint(items, at: record.version, of: list)
    appended = (list, record)
  }

  /// Stores a row. The values have the order of the columns.
  ///
  /// - Parameters:
  ///   - other: the value of the column that the digest does not cover.
  ///   - isNew: whether a row with the same key is an error, as it is in the tables of the log;
  ///     otherwise the row takes its place.
  func insert(into table: Table, _ values: Value..., other: Value? = nil, isNew: Bool? = nil) {
    insert(into: table, values, other: other, isNew: isNew ?? !table.replacesRows)
  }

  private func insert(into table: Table, _ values: [Value], other: Value?, isNew: Bool) {
    var digest = RowDigest()
    for value in values { digest.add(value) }
    let all = values + [other].compactMap(\.self) + [.integer(digest.value)]
    let updates = table.allColumns.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    let replacing = isNew ? "" : " ON CONFLICT (\(table.key)) DO UPDATE SET \(updates)"
    connection.queue(
      """
      INSERT INTO \(name(table)) (\(table.columnNames)) VALUES (\(Self.places(all.count)))\
      \(replacing)
      """, all)
  }

  /// Stores many new rows, by COPY if that is worth its round trip.
  func insertMany(
    into table: Table, _ rows: some Collection<(values: [Value], other: Value?)>
  ) throws {
    guard rows.count > Self.fewRows else {
      for row in rows { insert(into: table, row.values, other: row.other, isNew: true) }
      return
    }
    try connection.copy(into: "\(name(table)) (\(table.columnNames))") { buffer in
      for row in rows { try buffer.write(row.values, other: row.other, of: table) }
    }
  }

  private static let fewRows = 16

  private static func places(_ count: Int) -> String {
    (1...count).map { "$\($0)" }.joined(separator: ", ")
  }
}

extension CopyBuffer {
  /// Writes a row with its digest.
  mutating func write(_ values: [Value], other: Value? = nil, of table: Table) throws {
    try begin(columnCount: values.count + (other == nil ? 1 : 2))
    var digest = RowDigest()
    for (value, (_, type)) in zip(values, table.columns) {
      digest.add(value)
      write(value, type)
    }
    if let other, let type = table.otherColumn?.type { write(other, type) }
    write(.integer(digest.value), .int)
  }
}
