/// An id and the whole content that goes with it, the id's own member included.
public struct Item: Identifiable, Equatable, Sendable {
  public let id: ItemID
  public let content: Content

  public init(id: ItemID, content: Content) {
    self.id = id
    self.content = content
  }
}
