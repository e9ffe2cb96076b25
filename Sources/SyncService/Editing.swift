import ListChanges
import ListModel
import ListStore

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
}

/// Turns edits into one change set. It reads all items that the edits name at once, and does each
/// edit to a rope of the list.
struct Editor {
  private let name: ListName
  private var list: EditedList<Item>
  private var removed: Set<ItemID> = []

  /// - Parameter edits: all edits that follow.
  init(_ edits: [Edit], of head: inout Head) throws {
    name = head.list.name
    let indexes = try head.indexes(of: Array(Set(edits.flatMap(\.ids))))
    let items = try head.items(at: edits.compactMap { indexes[$0.item] })
    list = EditedList(
      count: head.state.count, indexes: indexes, elements: Array(items.values))
  }

  var changes: ChangeSet<Item> { list.changes }

  mutating func apply(_ edit: Edit) throws(ServiceError) {
    switch edit {
    case .remove(let id):
      guard list.remove(id) != nil else { throw absent(id) }
      removed.insert(id)
    case .put(let item, let place):
      let old = list.remove(item.id)
      list.insert(item, at: try place.map(index(of:)) ?? old ?? list.count)
    }
  }

  /// The index of a place, in the list without the item to be put there.
  private func index(of place: Edit.Place) throws(ServiceError) -> Int {
    switch place {
    case .first: return 0
    case .last: return list.count
    case .before(let id): return try index(of: id)
    case .after(let id): return try index(of: id) + 1
    case .at(let place):
      guard (0...list.count).contains(place) else {
        throw .noSuchPlace(place, list: name, highest: list.count)
      }
      return place
    }
  }

  private func index(of id: ItemID) throws(ServiceError) -> Int {
    guard let index = list.index(of: id) else { throw absent(id) }
    return index
  }

  private func absent(_ id: ItemID) -> ServiceError {
    .itemAbsent(id, list: name, wasRemoved: removed.contains(id))
  }
}

extension Edit {
  /// The item that is put or removed.
  fileprivate var item: ItemID {
    switch self {
    case .remove(let id): id
    case .put(let item, _): item.id
    }
  }

  /// The item, and the one that its place refers to.
  fileprivate var ids: [ItemID] {
    switch self {
    case .put(let item, .before(let anchor)), .put(let item, .after(let anchor)):
      [item.id, anchor]
    default: [item]
    }
  }
}
