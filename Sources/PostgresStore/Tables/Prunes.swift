import ListModel
import ListStore

extension PostgresReader {
  func prunes(of list: ListKey) throws -> [PruneRecord] {
    try rows(of: .prunes, "WHERE list_id = $1 ORDER BY new_oldest DESC", Value(list)) { row in
      let (old, new) = (row.integer(1), row.integer(2))
      guard old >= 1, new > old, let chain = Chain(bytes: row.bytes(6)) else {
        throw Table.prunes.brokenRules
      }
      return PruneRecord(
        oldOldest: Version(Int(old)), newOldest: Version(Int(new)),
        prunedAt: Timestamp(millisecondsSince1970: row.integer(3)), author: row.optionalText(4),
        rule: row.text(5), chain: chain)
    }
  }
}

/// Deletes the rows of pruned versions.
///
/// The *floor* is the new oldest version. Rows up to the floor ("old rows") are deleted unless the
/// floor's checkpoint or a later row references them, as an item (for its id) or as a content. No
/// other references exist: the head and later checkpoints contain only items that were present at
/// the floor or were written after it. Every reference to a content also references its item.
extension PostgresWriter {
  func prune(_ record: PruneRecord, of list: ListKey) throws {
    let floor = record.newOldest
    let items = try checkpoint(at: floor, of: list)
    let ranges = try rowRanges(floor...floor, of: list).ranges
    guard let end = ranges.first?.rows.upperBound else { return }
    let (named, contents) = try references(from: items, before: end, of: list)
    try removeOldRows(before: end, named: named, contents: contents, of: list)
    try fillIDs(of: list)
    for (table, condition) in [
      (Table.versions, "version < $2"), (.checkpoints, "version < $2"),
      (.changeSets, "(from_version < $2 OR to_version < $2)"),
    ] {
      connection.queue(
        "DELETE FROM \(name(table)) WHERE list_id = $1 AND \(condition)",
        [Value(list), Value(floor)])
    }
    (versionRows[list], itemKeys[list]) = (nil, nil)
    (texts, wantedTexts) = ([:], [])
    checkpointVersions[list]?.removeAll { $0 < floor }
    try setOldest(floor, of: list)
    insert(
      into: .prunes, Value(list), Value(record.oldOldest), Value(record.newOldest),
      Value(record.prunedAt), Value(record.author), .text(record.rule),
      .bytes(record.chain.bytes))
  }

  /// The old rows that are referenced as items, and as contents.
  private func references(
    from items: [StoredItem], before end: Int64, of list: ListKey
  ) throws -> (items: Set<Int64>, contents: Set<Int64>) {
    var named = Set(items.map(\.id.sequence))
    var contents = Set(items.map(\.content.sequence))
    try connection.query(
      """
      SELECT item, old_content, new_content FROM \(name(.changes))
      WHERE list_id = $1 AND change >= $2 AND least(item, old_content, new_content) < $2
      """, [Value(list), .integer(end)]
    ) { row in
      if let item = row.optionalInteger(0), item < end { named.insert(item) }
      for column in 1...2 {
        if let content = row.optionalInteger(column), content < end { contents.insert(content) }
      }
    }
    return (named, contents)
  }

  /// Deletes the old rows without references. Clears the unused columns of the others: the content
  /// if only the id is referenced, and the old content, whose row may be deleted.
  private func removeOldRows(
    before end: Int64, named: Set<Int64>, contents: Set<Int64>, of list: ListKey
  ) throws {
    let kept = try rows(
      of: .changes, in: list, where: "change = asked.value",
      anyOf: .integers(named.union(contents).filter { $0 < end })
    ) { row in
      let number = row.integer(1)
      let content = contents.contains(number) ? row.optionalBytes(9) : nil
      return [
        Value(list), .integer(number), Value(row.optionalInteger(2)),
        Value(row.optionalInteger(3)), Value(row.optionalInteger(4)), .null,
        Value(row.optionalInteger(6)), .integer(row.integer(7)),
        row.optionalBytes(8).map { .bytes($0) } ?? .null, content.map { .bytes($0) } ?? .null,
      ]
    }
    connection.queue(
      "DELETE FROM \(name(.changes)) WHERE list_id = $1 AND change < $2",
      [Value(list), .integer(end)])
    try insertMany(into: .changes, kept.map { ($0, nil) })
  }
}
