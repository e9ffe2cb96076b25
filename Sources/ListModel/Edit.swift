/// A change of a single item, named by its id.
public enum Edit: Equatable, Sendable {
  /// The new position of an item.
  public enum Place: Equatable, Sendable {
    case first
    case last
    /// The index in the new list.
    case at(Int)
    case before(ItemID)
    case after(ItemID)
  }

  case remove(ItemID)
  /// Sets the content and the place of an item. Without a place, an existing item stays where it
  /// is, and a new one is appended.
  case put(Item, Place?)
  /// Sets the place of an existing item, which keeps its content.
  case move(ItemID, Place)
}
