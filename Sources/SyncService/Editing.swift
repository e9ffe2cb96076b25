import ListChanges
import ListModel
import ListStore

/// A change of single items, named by their ids.
public enum Edit: Equatable, Sendable {
  /// Where an item is put.
  public enum Place: Equatable, Sendable {
    case first
    case last
    /// The index that it has then.
    case at(Int)
    case before(ItemID)
    case after(ItemID)
  }

  /// Takes an item out of the list.
  case remove(ItemID)
  /// Gives an item its content and its place. Without a place, an item that is there stays where it
  /// is, and a new one comes last.
  case put(Item, Place?)
}

/// A list under edit: what the edits name of the head, as they have left it so far. All edits become
/// one change set: each is done to a rope of the list, and what they name is read at once.
struct Editor {
  private let name: ListName
  private var list: EditedList<Item>
  private var removed: Set<ItemID> = []

  /// - Parameter edits: all that will be done.
  init(_ edits: [Edit], of head: Head, _ completion: inout StepCompletion) throws {
    name = head.list.name
    let indexes = try completion.indexes(of: Array(Set(edits.flatMap(\.ids))))
    let items = try completion.items(at: edits.compactMap { indexes[$0.item] })
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

  /// The index that a place stands for, while the item that is to be put there is out of the list.
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
  /// The item that is put or taken out.
  fileprivate var item: ItemID {
    switch self {
    case .remove(let id): id
    case .put(let item, _): item.id
    }
  }

  /// The item, and the one that tells its place.
  fileprivate var ids: [ItemID] {
    switch self {
    case .put(let item, .before(let anchor)), .put(let item, .after(let anchor)):
      [item.id, anchor]
    default: [item]
    }
  }
}
