/// An id and its content, which includes the id's member.
public struct Item: Identifiable, Equatable, Sendable {
  public let id: ItemID
  public let content: Content

  public init(id: ItemID, content: Content) {
    self.id = id
    self.content = content
  }
}
