import ListModel
import ListStore
import RawSQLite

/// Turns keys into texts.
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
    try texts(of: keys, by: \.rawValue, "item") { $0.id }
  }

  func contents(of keys: [ContentKey]) throws -> [Content] {
    try texts(of: keys, by: \.rawValue, "content") { $0.content }
  }

  private func texts<Key, Text>(
    of keys: [Key], by number: (Key) -> Int64, _ what: String, _ read: (TextRow) -> Text?
  ) throws -> [Text] {
    var texts: [Text?] = Array(repeating: nil, count: keys.count)
    try visit(keys, by: number) { position, row in texts[position] = read(row) }
    return try zip(keys, texts).map { key, text in
      guard let text else { throw Self.nothing(what, number(key)) }
      return text
    }
  }

  private static func nothing(_ what: String, _ key: Int64) -> StoreError {
    .corrupt(reason: "change \(key & ListKey.largestSequence) names no \(what)")
  }

  /// Visits the rows of keys in ascending order, whatever the order of the keys: neighbours share
  /// pages. Steps to a near row, and seeks a distant one.
  private func visit<Key>(
    _ keys: [Key], by number: (Key) -> Int64, _ body: (_ position: Int, TextRow) -> Void
  ) throws {
    let statement = try RawStatement(self, Self.textRows)
    defer { statement.reset() }
    // The number of the current row; nil before the first and behind the last.
    var current: Int64?
    func visit(_ key: Int64, _ position: Int) throws {
      if let row = current, row <= key, key - row <= Self.nearRowCount {
        while let row = current, row < key {
          current = try statement.step() ? statement.integer(0) : nil
        }
      } else {
        statement.reset()
        statement.bind(key, at: 1)
        current = try statement.step() ? statement.integer(0) : nil
      }
      guard current == key else { return }
      guard statement.integer(3) == 1 else { throw DigestedTable.changes.damage }
      body(position, TextRow(statement: statement))
    }
    if zip(keys, keys.dropFirst()).allSatisfy({ number($0) <= number($1) }) {
      for position in keys.indices { try visit(number(keys[position]), position) }
    } else {
      let order = keys.indices.map { (number(keys[$0]), $0) }.sorted { $0.0 < $1.0 }
      for (key, position) in order { try visit(key, position) }
    }
  }

  /// Stepping over so many rows costs as much as a seek.
  private static let nearRowCount: Int64 = 6

  private static let textRows = """
    SELECT change_id, id, content, \(DigestedTable.changes.isSound) FROM changes
    WHERE change_id >= ? ORDER BY change_id
    """
}

/// The texts of a row of `changes`.
private struct TextRow {
  let statement: RawStatement

  /// Nil if the row introduces no item.
  var id: ItemID? { statement.optionalText(1).map { ItemID($0) } }

  /// Nil if the row writes no content.
  var content: Content? {
    statement.isNull(2) ? nil : Content(canonicalBytes: statement.bytes(2))
  }
}
