import ListModel

/// The ids and contents of keys.
extension ListReader {
  private static let (idColumn, contentColumn) = (8, 9)

  /// Returns the items of keys, in the order of the keys.
  ///
  /// - Throws: `StoreError.corrupt` when a key has no row.
  public func items(of stored: [StoredItem]) throws -> [Item] {
    let texts = try texts(ids: stored.map(\.id), contents: stored)
    return zip(texts.ids, texts.contents).map { Item(id: $0, content: $1) }
  }

  /// Returns the ids of items, in the order of the keys.
  ///
  /// - Throws: `StoreError.corrupt` when an item does not exist.
  public func ids(of keys: [ItemKey]) throws -> [ItemID] {
    try texts(ids: keys, contents: []).ids
  }

  /// Returns the contents of items, in the order of the keys.
  ///
  /// - Throws: `StoreError.corrupt` when a content does not exist.
  public func contents(of stored: [StoredItem]) throws -> [Content] {
    try texts(ids: [], contents: stored).contents
  }

  /// Returns ids and contents in the order of their keys, all of which belong to one list. If both
  /// are wanted, they are those of the same items.
  private func texts(
    ids: [ItemKey], contents: [StoredItem]
  ) throws -> (ids: [ItemID], contents: [Content]) {
    guard let list = (ids.first ?? contents.first?.id)?.list else { return ([], []) }
    let firstPlain = try row(of: list).firstPlain
    var foundIDs: [ItemID?] = Array(repeating: nil, count: ids.count)
    var foundContents: [Content?] = Array(repeating: nil, count: contents.count)
    // The plain rows, and the positions of the results that need them.
    var (keys, idPositions, contentPositions): ([RowKey], [Int], [Int]) = ([], [], [])
    var packed: [PackedText] = []
    for (position, key) in ids.enumerated() {
      if key.sequence >= firstPlain {
        keys.append(RowKey(key))
        idPositions.append(position)
      } else {
        let isBoth = !contents.isEmpty && contents[position].hasOwnContent
        packed.append(
          PackedText(
            item: key.sequence, content: isBoth ? key.sequence : nil, idPosition: position,
            contentPosition: isBoth ? ids.count + position : nil))
      }
    }
    for (position, stored) in contents.enumerated() where ids.isEmpty || !stored.hasOwnContent {
      if stored.content.sequence >= firstPlain {
        keys.append(RowKey(stored.content))
        contentPositions.append(position)
      } else {
        packed.append(
          PackedText(
            item: stored.id.sequence, content: stored.content.sequence, idPosition: nil,
            contentPosition: ids.count + position))
      }
    }
    try visit(.changes, keys) { number, row in
      guard number < idPositions.count else {
        foundContents[contentPositions[number - idPositions.count]] = Self.content(row)
        return
      }
      let position = idPositions[number]
      foundIDs[position] = row.optionalText(Self.idColumn).map { ItemID($0) }
      if !contents.isEmpty, contents[position].hasOwnContent {
        foundContents[position] = Self.content(row)
      }
    }
    try packedTexts(packed, of: list) { position, bytes in
      if position < ids.count {
        foundIDs[position] = ItemID(String(decoding: bytes, as: UTF8.self))
      } else {
        foundContents[position - ids.count] = Content(canonicalBytes: bytes)
      }
    }
    return (
      try zip(ids, foundIDs).map { try $1 ?? Self.nothing("item", $0.sequence) },
      try zip(contents, foundContents).map {
        try $1 ?? Self.nothing("content", $0.content.sequence)
      }
    )
  }

  /// Returns the items of keys, in the order of the keys. Checks their contents as
  /// ``checkedContents(of:)`` does.
  ///
  /// - Parameters:
  ///   - stored: the keys.
  ///   - isParsed: returns whether the content of an item will be parsed; only such contents are
  ///     checked.
  public func checkedItems(
    _ stored: [StoredItem], where isParsed: (Item) -> Bool = { _ in true }
  ) throws -> [Item] {
    let items = try items(of: stored)
    var check = ContentCheck()
    for item in items where isParsed(item) && !check.isCanonical(item.content) {
      throw Self.notCanonical
    }
    return items
  }

  /// Returns the contents of keys, in the order of the keys. Checks that they are canonical: only
  /// canonical content can be parsed safely.
  ///
  /// - Throws: `StoreError.corrupt` when one is not canonical.
  public func checkedContents(of stored: [StoredItem]) throws -> [Content] {
    let contents = try contents(of: stored)
    var check = ContentCheck()
    for content in contents where !check.isCanonical(content) { throw Self.notCanonical }
    return contents
  }

  private static var notCanonical: StoreError {
    .corrupt(reason: "the content of an item is not canonical JSON")
  }
  /// The number of an item's newest changes that are searched for a returning content. The limit
  /// keeps commits fast for an item with a long history.
  private static let searchedChangeCount = 16

  /// Returns the keys of contents that items had recently, in the given order; nil for other
  /// contents.
  ///
  /// - Complexity: O(1) rows read for each content, whatever the length of the item's history.
  public func contentKeys(
    of contents: [(item: ItemKey, content: Content)], in list: ListKey
  ) throws -> [ContentKey?] {
    if contents.isEmpty { return [] }
    var numbers = try engine.contentNumbers(
      of: contents.map { ItemContent(item: $0.item.sequence, content: $0.content.bytes) },
      in: list.rawValue, newest: Self.searchedChangeCount)
    // Of packed contents, only the one with which the item was introduced is found again.
    let firstPlain = try row(of: list).firstPlain
    let packed = contents.indices.filter {
      numbers[$0] == nil && contents[$0].item.sequence < firstPlain
    }
    let texts = packed.map { position in
      let item = contents[position].item.sequence
      return PackedText(item: item, content: item, idPosition: nil, contentPosition: position)
    }
    try packedTexts(texts, of: list) { position, bytes in
      if bytes == contents[position].content.bytes {
        numbers[position] = contents[position].item.sequence
      }
    }
    return numbers.map { $0.map { ContentKey(list, sequence: $0) } }
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

  private static func nothing<Text>(_ what: String, _ number: Int64) throws -> Text {
    throw StoreError.corrupt(reason: "change \(number) names no \(what)")
  }
}
