import ListModel

/// Turns keys into texts.
extension ListReader {
  private static let (idColumn, contentColumn) = (8, 9)

  /// The items of keys, in the order of the keys.
  ///
  /// - Throws: `StoreError.corrupt` when a key has no row.
  public func items(of stored: [StoredItem]) throws -> [Item] {
    var ids: [ItemID?] = Array(repeating: nil, count: stored.count)
    var contents: [Content?] = Array(repeating: nil, count: stored.count)
    let others = stored.indices.filter { !stored[$0].hasOwnContent }
    let keys = stored.map { RowKey($0.id) } + others.map { RowKey(stored[$0].content) }
    try visit(.changes, keys) { position, row in
      if position >= stored.count {
        contents[others[position - stored.count]] = Self.content(row)
      } else {
        ids[position] = row.optionalText(Self.idColumn).map { ItemID($0) }
        if stored[position].hasOwnContent { contents[position] = Self.content(row) }
      }
    }
    return try stored.indices.map { position in
      guard let id = ids[position] else {
        throw Self.nothing("item", stored[position].id.sequence)
      }
      guard let content = contents[position] else {
        throw Self.nothing("content", stored[position].content.sequence)
      }
      return Item(id: id, content: content)
    }
  }

  /// The ids of items, in the order of the keys.
  ///
  /// - Throws: `StoreError.corrupt` when a key has no item.
  public func ids(of keys: [ItemKey]) throws -> [ItemID] {
    var ids: [ItemID?] = Array(repeating: nil, count: keys.count)
    try visit(.changes, keys.map { RowKey($0) }) { position, row in
      ids[position] = row.optionalText(Self.idColumn).map { ItemID($0) }
    }
    return try zip(keys, ids).map { key, id in
      guard let id else { throw Self.nothing("item", key.sequence) }
      return id
    }
  }

  /// Contents in the order of the keys.
  ///
  /// - Throws: `StoreError.corrupt` when a key has no content.
  public func contents(of keys: [ContentKey]) throws -> [Content] {
    var contents: [Content?] = Array(repeating: nil, count: keys.count)
    try visit(.changes, keys.map { RowKey($0) }) { contents[$0] = Self.content($1) }
    return try zip(keys, contents).map { key, content in
      guard let content else { throw Self.nothing("content", key.sequence) }
      return content
    }
  }

  /// The items of keys, in the order of the keys, their contents checked as in
  /// ``checkedContents(of:)``.
  public func checkedItems(_ stored: [StoredItem]) throws -> [Item] {
    let items = try items(of: stored)
    var check = ContentCheck()
    for item in items where !check.isCanonical(item.content) { throw Self.notCanonical }
    return items
  }

  /// The contents of keys, in the order of the keys, checked to be canonical: only canonical
  /// content can be parsed safely.
  ///
  /// - Throws: `StoreError.corrupt` when one is not canonical.
  public func checkedContents(of keys: [ContentKey]) throws -> [Content] {
    let contents = try contents(of: keys)
    var check = ContentCheck()
    for content in contents where !check.isCanonical(content) { throw Self.notCanonical }
    return contents
  }

  private static var notCanonical: StoreError {
    .corrupt(reason: "the content of an item is not canonical JSON")
  }
  /// How many of an item's newest changes are searched for a content that returns. The limit keeps
  /// commits to an item with a long history fast.
  private static let searchedChangeCount = 16

  /// The keys of contents that items had recently, in the order given; nil for other contents.
  ///
  /// - Complexity: O(1) rows read for each, whatever the length of the item's history.
  public func contentKeys(
    of contents: [(item: ItemKey, content: Content)], in list: ListKey
  ) throws -> [ContentKey?] {
    if contents.isEmpty { return [] }
    return try engine.contentNumbers(
      of: contents.map { ItemContent(item: $0.item.sequence, content: $0.content.bytes) },
      in: list.rawValue, newest: Self.searchedChangeCount
    ).map { $0.map { ContentKey(list, sequence: $0) } }
  }

  static func contentQuery(
    of contents: [(item: ItemKey, content: Content)], in list: ListKey
  ) -> Query {
    .contents(
      list: list.rawValue,
      contents.map { ItemContent(item: $0.item.sequence, content: $0.content.bytes) },
      newest: searchedChangeCount)
  }

  private static func content(_ row: LogRow) -> Content? {
    row.isNull(contentColumn) ? nil : Content(canonicalBytes: row.bytes(contentColumn))
  }

  private static func nothing(_ what: String, _ number: Int64) -> StoreError {
    .corrupt(reason: "change \(number) names no \(what)")
  }
}
