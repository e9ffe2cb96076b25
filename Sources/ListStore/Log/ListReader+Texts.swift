import ListModel

/// The ids and contents of keys.
extension ListReader {
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

  /// Reads ahead what the ids and contents of items need.
  public func willReadTexts(of stored: [StoredItem]) throws {
    guard let list = stored.first?.id.list else { return }
    let wanted = Self.wanted(ids: stored.map(\.id), contents: stored)
    try readAhead(firstBlocks(of: wanted, in: list))
  }

  static func wanted(ids: [ItemKey], contents: [StoredItem]) -> [WantedText] {
    var wanted: [WantedText] = []
    for (position, key) in ids.enumerated() {
      let isBoth = !contents.isEmpty && contents[position].hasOwnContent
      wanted.append(
        WantedText(
          item: key.sequence, content: isBoth ? key.sequence : nil, idPosition: position,
          contentPosition: isBoth ? ids.count + position : nil))
    }
    for (position, stored) in contents.enumerated() where ids.isEmpty || !stored.hasOwnContent {
      wanted.append(
        WantedText(
          item: stored.id.sequence, content: stored.content.sequence, idPosition: nil,
          contentPosition: ids.count + position))
    }
    return wanted
  }

  /// Returns ids and contents in the order of their keys, all of which belong to one list. If both
  /// are wanted, they are those of the same items.
  private func texts(
    ids: [ItemKey], contents: [StoredItem]
  ) throws -> (ids: [ItemID], contents: [Content]) {
    guard let list = (ids.first ?? contents.first?.id)?.list else { return ([], []) }
    var foundIDs: [ItemID?] = Array(repeating: nil, count: ids.count)
    var foundContents: [Content?] = Array(repeating: nil, count: contents.count)
    let wanted = Self.wanted(ids: ids, contents: contents)
    try texts(wanted, of: list) { position, bytes in
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

  private static func nothing<Text>(_ what: String, _ number: Int64) throws -> Text {
    throw StoreError.corrupt(reason: "change \(number) names no \(what)")
  }
}
