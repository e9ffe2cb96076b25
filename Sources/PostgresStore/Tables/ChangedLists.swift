import ListStore

extension PostgresReader {
  /// Each row of `marks` numbers its own transactions. A reader's new connection may lead to
  /// another server, with other content.
  func changedLists(
    after mark: HeadMark?
  ) throws -> (mark: HeadMark?, changes: ChangedLists?) {
    let origin = Int64(connection.counter.readerCount)
    let known = mark?.origin == origin ? mark?.counts : nil
    var counts: [Int64: Int64] = [:]
    let marks = "SELECT slot, number FROM \(schema).marks"
    guard let known else {
      try connection.query(marks) { counts[$0.integer(0)] = $0.integer(1) }
      return (HeadMark(counts: counts, origin: origin), nil)
    }
    var lists: Set<Int64> = []
    connection.ask(marks) { counts[$0.integer(0)] = $0.integer(1) }
    try connection.query(
      """
      SELECT list_id FROM \(schema).changed_lists AS changed
      LEFT JOIN unnest($1::bigint[], $2::bigint[]) AS known (slot, number)
        ON known.slot = changed.slot
      WHERE changed.number > coalesce(known.number, 0)
      """, [.integers(Array(known.keys)), .integers(Array(known.values))]
    ) { lists.insert($0.integer(0)) }
    let isComplete =
      known.keys.allSatisfy { counts[$0] != nil }
      && counts.allSatisfy { slot, count in
        (0...Self.recordedCount).contains(count - (known[slot] ?? 0))
      }
    return (
      HeadMark(counts: counts, origin: origin), isComplete ? ChangedLists(lists) : nil
    )
  }
}
