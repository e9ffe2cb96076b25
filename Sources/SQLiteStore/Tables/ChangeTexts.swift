import ListModel
import ListStore
import RawSQLite

/// Keys become text here, and only here.
extension StoreReader {
  func items(of stored: [StoredItem]) throws -> [Item] {
    var ids: [ItemID?] = Array(repeating: nil, count: stored.count)
    var contents: [Content?] = Array(repeating: nil, count: stored.count)
    try visit(stored, by: \.id.rawValue) { position, row in
      ids[position] = row.id
      if stored[position].hasOwnContent { contents[position] = row.content }
    }
    let others = stored.indices.filter { !stored[$0].hasOwnContent }
    let number = { (index: Int) in stored[index].content.rawValue }
    try visit(others, by: number) { position, row in
      contents[others[position]] = row.content
    }
    return try zip(stored, zip(ids, contents)).map { stored, texts in
      guard let id = texts.0 else { throw Self.nothing("item", stored.id.rawValue) }
      guard let content = texts.1 else { throw Self.nothing("content", stored.content.rawValue) }
      return Item(id: id, content: content)
    }
  }

  func ids(of keys: [ItemKey]) throws -> [ItemID] {
    var ids: [ItemID?] = Array(repeating: nil, count: keys.count)
    try visit(keys, by: \.rawValue) { position, row in ids[position] = row.id }
    return try zip(keys, ids).map { key, id in
      guard let id else { throw Self.nothing("item", key.rawValue) }
      return id
    }
  }

  func contents(of keys: [ContentKey]) throws -> [Content] {
    var contents: [Content?] = Array(repeating: nil, count: keys.count)
    try visit(keys, by: \.rawValue) { position, row in contents[position] = row.content }
    return try zip(keys, contents).map { key, content in
      guard let content else { throw Self.nothing("content", key.rawValue) }
      return content
    }
  }

  private static func nothing(_ what: String, _ key: Int64) -> StoreError {
    .corrupt(reason: "change \(key & ListKey.largestSequence) names no \(what)")
  }

  /// Visits the rows that keys name in the order of the log, whatever order the keys come in:
  /// neighbours share pages.
  private func visit<Key>(
    _ keys: [Key], by number: (Key) -> Int64,
    _ body: (_ position: Int, TextRow) -> Void
  ) throws {
    var walk = try TextWalk(self)
    defer { walk.finish() }
    let isAscending = zip(keys, keys.dropFirst()).allSatisfy { number($0) <= number($1) }
    if isAscending {
      for position in keys.indices where try walk.find(number(keys[position])) {
        try body(position, walk.row())
      }
    } else {
      let order = keys.indices.map { (number(keys[$0]), $0) }.sorted { $0.0 < $1.0 }
      for (key, position) in order where try walk.find(key) { try body(position, walk.row()) }
    }
  }
}

/// The texts of the row that a walk stands on.
struct TextRow {
  fileprivate let statement: RawStatement

  /// Nil where the row introduces no item.
  var id: ItemID? { statement.optionalText(1).map { ItemID($0) } }

  /// Nil where the row writes no content.
  var content: Content? {
    statement.isNull(2) ? nil : Content(canonicalBytes: statement.bytes(2))
  }
}

/// Finds rows by ascending numbers: steps on where the next is near, and seeks where it is not.
private struct TextWalk {
  /// Stepping over so many rows costs what a seek does.
  private static let nearRowCount: Int64 = 6

  private let statement: RawStatement
  /// The number of the row that the statement stands on; nil before the first and behind the last.
  private var current: Int64?

  init(_ reader: StoreReader) throws {
    statement = try RawStatement(
      reader,
      """
      SELECT change_id, id, content, \(DigestedTable.changes.isSound) FROM changes
      WHERE change_id >= ? ORDER BY change_id
      """)
  }

  /// - Throws: `StoreError.corrupt` where the row is not what was written.
  func row() throws -> TextRow {
    guard statement.integer(3) == 1 else { throw DigestedTable.changes.damage }
    return TextRow(statement: statement)
  }

  /// Goes to a row; false when there is none of that number.
  mutating func find(_ key: Int64) throws -> Bool {
    if let current, current <= key, key - current <= Self.nearRowCount {
      while let here = self.current, here < key { try step() }
    } else {
      statement.reset()
      statement.bind(key, at: 1)
      try step()
    }
    return current == key
  }

  private mutating func step() throws {
    current = try statement.step() ? statement.integer(0) : nil
  }

  func finish() { statement.reset() }
}
