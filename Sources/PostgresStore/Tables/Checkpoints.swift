import ListModel
import ListStore

extension PostgresReader {
  func newestCheckpoint(of list: ListKey, notAfter version: Version) throws -> Version? {
    _ = try row(list)
    return checkpointVersions[list]?.last { $0 >= Version(1) && $0 <= version }
  }

  func checkpoint(at version: Version, of list: ListKey) throws -> [StoredItem] {
    let count = try itemCount(at: version, of: list)
    var items: [StoredItem] = []
    // A damaged store may have any count, so the reservation has a limit.
    items.reserveCapacity(min(count, 1 << 20))
    let numbers = try rows(
      of: .checkpoints, "WHERE list_id = $1 AND version = $2 ORDER BY part", Value(list),
      Value(version)
    ) { row in
      try PartCoding.decode(row.bytes(3), of: list, into: &items)
      return row.integer(2)
    }
    guard items.count == count, numbers.elementsEqual(0..<Int64(numbers.count)) else {
      throw StoreError.corrupt(
        reason: "the checkpoint at version \(version) has \(items.count) of \(count) items")
    }
    return items
  }
}

extension PostgresWriter {
  func writeCheckpoint(_ items: [StoredItem], at version: Version, of list: ListKey) throws {
    connection.queue(
      "DELETE FROM \(name(.checkpoints)) WHERE list_id = $1 AND version = $2",
      [Value(list), Value(version)])
    let versions = Set((checkpointVersions[list] ?? []) + [version])
    checkpointVersions[list] = versions.sorted()
    // The checkpoint of an empty list is one empty row.
    let starts = Array(stride(from: 0, to: max(1, items.count), by: PartCoding.maximumCount))
    try insertMany(
      into: .checkpoints,
      starts.enumerated().map { number, start in
        let part = items[start..<min(start + PartCoding.maximumCount, items.count)]
        let data = part.isEmpty ? [] : PartCoding.encode(part)
        return ([Value(list), Value(version), Value(number), .bytes(data)], nil)
      })
  }

  func dropCheckpoints(of list: ListKey) throws {
    (known[list], checkpointVersions[list], headParts[list]) = (nil, nil, nil)
    connection.queue(
      """
      DELETE FROM \(name(.checkpoints)) WHERE list_id = $1 AND version <> (
        SELECT CASE WHEN oldest > 1 THEN oldest ELSE 0 END FROM \(name(.lists)) WHERE list_id = $1)
      """, [Value(list)])
    connection.queue("DELETE FROM \(name(.headParts)) WHERE list_id = $1", [Value(list)])
  }
}
