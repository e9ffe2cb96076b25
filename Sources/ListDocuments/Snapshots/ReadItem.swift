import ListModel

/// An item of a file.
struct ReadItem: Sendable {
  let content: Content
  /// Nil when the item has no id by the rule.
  let id: ItemID?
  /// The hash value of the id, computed on the thread that reads the item.
  let idHash: Int
  /// The offset in the file.
  let offset: Int

  /// The same item at another place.
  init(recalled item: ReadItem, at offset: Int) {
    (content, id, idHash) = (item.content, item.id, item.idHash)
    self.offset = offset
  }

  init(_ content: Content, idRule: IDRule, at offset: Int) {
    self.content = content
    self.offset = offset
    id = try? idRule.id(of: content)
    idHash = id?.hashValue ?? 0
  }
}
