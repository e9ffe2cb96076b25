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

  /// - Parameter isHashed: whether the hash value of the id is needed.
  init(_ content: Content, idRule: IDRule, at offset: Int, isHashed: Bool = true) {
    self.content = content
    self.offset = offset
    id = try? idRule.id(of: content)
    idHash = isHashed ? id?.hashValue ?? 0 : 0
  }
}

/// The part of an item that is kept while a file is read.
protocol FileElement: Sendable {
  init(_ item: ReadItem, _ hasher: inout ItemHasher)
}

extension ReadItem: FileElement {
  init(_ item: ReadItem, _ hasher: inout ItemHasher) { self = item }
}
