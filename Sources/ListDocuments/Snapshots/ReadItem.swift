import ListModel

/// An item as it comes out of a file.
struct ReadItem: Sendable {
  let content: Content
  /// Nil when it has none by the rule.
  let id: ItemID?
  /// The hash value of the id, worked out where the item is read.
  let idHash: Int
  /// Where it starts in the file.
  let offset: Int

  init(_ content: Content, id: ItemID?, at offset: Int) {
    self.content = content
    self.id = id
    self.offset = offset
    idHash = id?.hashValue ?? 0
  }

  /// The same item at another place.
  init(recalled item: ReadItem, at offset: Int) {
    (content, id, idHash) = (item.content, item.id, item.idHash)
    self.offset = offset
  }

  init(_ content: Content, idRule: IDRule, at offset: Int) {
    self.init(content, id: try? idRule.id(of: content), at: offset)
  }
}
