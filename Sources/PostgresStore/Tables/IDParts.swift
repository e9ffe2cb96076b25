import ListChanges
import ListModel
import ListStore

/// Parts of a table of ids that were read, and which of them may hold which hash.
struct KnownIDParts {
  private var parts: [Int64: IDPart] = [:]
  private var lasts: [UInt64: Int64] = [:]

  var hashCount: Int { lasts.count }

  mutating func add(_ part: IDPart) { parts[part.last] = part }

  /// Notes that the parts of some hashes were read, as far as they are there.
  mutating func assign(_ hashes: [UInt64]) {
    let all = parts.keys.sorted()
    for hash in hashes {
      let prefix = IDEntry.prefix(of: hash)
      let position = all.partitioningIndex { $0 >= prefix }
      if position < all.count { lasts[hash] = all[position] }
    }
  }

  func knows(_ hash: UInt64) -> Bool { lasts[hash] != nil }

  /// The parts that may hold some hashes, in ascending order.
  func parts(holding hashes: [UInt64]) -> [IDPart] {
    Set(hashes.compactMap { lasts[$0] }).sorted().compactMap { parts[$0] }
  }
}

/// The table in which a list finds its items by their ids.
extension PostgresReader: IDTable {
  /// How many ids are kept for later questions of the transaction.
  private static let keptKeyCount = 4096

  func keys(of ids: [ItemID], in list: ListKey) throws -> [ItemKey?] {
    var keys = itemKeys[list] ?? [:]
    let missing = Set(ids).filter { keys[$0] == nil }.sorted()
    if !missing.isEmpty {
      for (id, key) in zip(missing, try foundKeys(of: missing, in: list)) {
        keys.updateValue(key, forKey: id)
      }
      if keys.count <= Self.keptKeyCount { itemKeys[list] = keys }
    }
    return ids.map { keys[$0] ?? nil }
  }

  package func idTableRecord(of list: ListKey) throws -> IDTableRecord {
    let row = try row(list)
    return IDTableRecord(nextChange: row.nextChange, digestSum: row.idDigest)
  }

  package func idDigestSum(of list: ListKey) throws -> Int64 {
    try number(
      "SELECT coalesce(sum(digest), 0)::bigint FROM \(name(.idParts)) WHERE list_id = $1",
      Value(list)) ?? 0
  }

  package func idParts(holding hashes: [UInt64], of list: ListKey) throws -> [IDPart] {
    var known = idParts[list] ?? KnownIDParts()
    let missing = hashes.filter { !known.knows($0) }
    if !missing.isEmpty {
      try connection.query(
        idPartsQuery(ofList: "list_id = $1"), [Value(list), Self.prefixes(of: missing)]
      ) { known.add(try Self.idPart(SoundRow($0, of: .idParts))) }
      known.assign(missing)
      if known.hashCount <= Self.keptKeyCount { idParts[list] = known }
    }
    return known.parts(holding: hashes)
  }

  private func idPartsQuery(ofList condition: String) -> String {
    """
    SELECT \(columns(of: .idParts)) FROM (
      SELECT DISTINCT (
        SELECT last_prefix FROM \(name(.idParts))
        WHERE \(condition) AND last_prefix >= asked.value ORDER BY last_prefix LIMIT 1) AS key
      FROM unnest($2::bigint[]) AS asked (value)) AS asked
    CROSS JOIN LATERAL (
      SELECT * FROM \(name(.idParts)) WHERE \(condition) AND last_prefix = asked.key OFFSET 0
    ) AS found
    """
  }

  private static func prefixes(of hashes: [UInt64]) -> Value {
    .integers(hashes.map { IDEntry.prefix(of: $0) })
  }

  func willFind(_ ids: [ItemID]) {
    if ids.count <= Self.keptKeyCount { expectedHashes = Set(ids.map(IDEntry.hash)).sorted() }
  }

  /// Asks for the parts of the ids that are looked up next, together with the next question.
  ///
  /// - Parameter list: gives the list when its row has arrived.
  func askExpectedIDs(_ condition: String, _ value: Value, of list: @escaping () -> ListKey?) {
    if expectedHashes.isEmpty { return }
    connection.ask(
      idPartsQuery(ofList: condition), [value, Self.prefixes(of: expectedHashes)]
    ) { [self] row in
      guard let list = list() else { return }
      idParts[list, default: KnownIDParts()].add(try Self.idPart(SoundRow(row, of: .idParts)))
    }
  }

  /// Keeps what ``askExpectedIDs(_:_:of:)`` found.
  func keepExpectedIDs(of list: ListKey) {
    idParts[list]?.assign(expectedHashes)
    expectedHashes = []
  }

  /// Asks for the likely parts of the head.
  func willFindPlaces(of items: [ItemKey], in list: ListKey) {
    guard items.count <= Self.keptKeyCount, let parts = headParts[list] else { return }
    let ranks = parts.positions(ofAny: items.map(\.rawValue).sorted())
      .compactMap { parts[$0].rank }.filter { headItems[list]?[$0] == nil }
    if !ranks.isEmpty { askPartItems(ranks: Array(ranks.prefix(2 * items.count)), of: list) }
  }

  private static func idPart(_ row: SoundRow) throws -> IDPart {
    try IDPart(last: row.integer(1), encoded: row.bytes(2))
  }

  package func idParts(of list: ListKey) throws -> [IDPart] {
    try rows(
      of: .idParts, "WHERE list_id = $1 ORDER BY last_prefix", Value(list), read: Self.idPart)
  }

  package func idEntries(of list: ListKey) throws -> [IDEntry] {
    try rows(of: .changes, "WHERE list_id = $1 AND id IS NOT NULL", Value(list)) { row in
      IDEntry(ItemID(row.text(8)), item: ItemKey(list, sequence: row.integer(1)))
    }
  }
}

extension PostgresWriter: IDTableWriter {
  package func write(_ parts: [IDPart], of list: ListKey) throws {
    idParts[list] = nil
    connection.queue(
      "DELETE FROM \(name(.idParts)) WHERE list_id = $1 AND last_prefix = ANY($2::bigint[])",
      [Value(list), .integers(parts.map(\.last))])
    try insertMany(
      into: .idParts,
      parts.map { (Self.values(of: $0, in: list), nil) })
  }

  package func removeIDParts(of list: ListKey) throws {
    idParts[list] = nil
    connection.queue("DELETE FROM \(name(.idParts)) WHERE list_id = $1", [Value(list)])
  }

  package func digest(of part: IDPart, in list: ListKey) -> Int64 {
    var digest = RowDigest()
    for value in Self.values(of: part, in: list) { digest.add(value) }
    return digest.value
  }

  private static func values(of part: IDPart, in list: ListKey) -> [Value] {
    [Value(list), .integer(part.last), .bytes(part.encoded)]
  }

  package func setDigestSum(_ sum: Int64, of list: ListKey) throws {
    try update(list) { $0.idDigest = sum }
  }
}
