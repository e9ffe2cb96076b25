import ListChanges
import ListModel
import ListStore

/// Turns edits into one change set. It reads all items that the edits name at once, and does each
/// edit to a rope of the list.
struct Editor {
  private let name: ListName
  private var list: EditedList<Item>
  private var removed: Set<ItemID> = []
  /// The number of edits that are done, which is the index of the next one.
  private var doneCount = 0

  /// - Parameter edits: all edits that follow.
  init(_ edits: [Edit], of head: inout Head) throws {
    name = head.list.name
    let indexes = try head.indexes(of: Array(Set(edits.flatMap(\.ids))))
    let changed = edits.compactMap { indexes[$0.item] }
    try head.willChange(changed)
    let items = try head.items(at: changed)
    list = EditedList(count: head.state.count, indexes: indexes, elements: Array(items.values))
  }

  var changes: ChangeSet<Item> { list.changes }

  mutating func apply(_ edit: Edit) throws(ServiceError) {
    if edit.anchor == edit.item { throw .besideItself(edit.item, list: name, edit: doneCount) }
    switch edit {
    case .remove(let id):
      guard list.remove(id) != nil else { throw absent(id) }
      removed.insert(id)
    case .put(let item, let place):
      let old = list.remove(item.id)
      list.insert(item, at: try place.map(index(of:)) ?? old ?? list.count)
    case .move(let id, let place):
      guard let item = list.element(of: id), list.remove(id) != nil else { throw absent(id) }
      list.insert(item, at: try index(of: place))
    }
    doneCount += 1
  }

  /// The index of a place, in the list without the item that goes there.
  private func index(of place: Edit.Place) throws(ServiceError) -> Int {
    switch place {
    case .first: return 0
    case .last: return list.count
    case .before(let id): return try index(of: id)
    case .after(let id): return try index(of: id) + 1
    case .at(let place):
      guard (0...list.count).contains(place) else {
        throw .noSuchPlace(place, list: name, highest: list.count, edit: doneCount)
      }
      return place
    }
  }

  private func index(of id: ItemID) throws(ServiceError) -> Int {
    guard let index = list.index(of: id) else { throw absent(id) }
    return index
  }

  private func absent(_ id: ItemID) -> ServiceError {
    .itemAbsent(id, list: name, wasRemoved: removed.contains(id), edit: doneCount)
  }
}

extension Head {
  /// The step that edits make.
  ///
  /// - Throws: `ServiceError.itemAbsent`, `.besideItself`, `.noSuchPlace`.
  mutating func step(_ edits: [Edit]) throws -> ChangeSet<Item> {
    var editor = try Editor(edits, of: &self)
    for edit in edits { try editor.apply(edit) }
    return try named(editor.changes)
  }
}

extension Edit {
  /// The item that is put, moved or removed.
  fileprivate var item: ItemID {
    switch self {
    case .remove(let id), .move(let id, _): id
    case .put(let item, _): item.id
    }
  }

  /// The content of an item that is put; nil for other edits.
  fileprivate var content: Content? {
    if case .put(let item, _) = self { item.content } else { nil }
  }

  /// The item that its place refers to; nil for a place without one.
  fileprivate var anchor: ItemID? {
    switch self {
    case .put(_, .before(let anchor)), .put(_, .after(let anchor)),
      .move(_, .before(let anchor)), .move(_, .after(let anchor)):
      anchor
    default: nil
    }
  }

  /// The item, and the one that its place refers to.
  var ids: [ItemID] { [item] + [anchor].compactMap(\.self) }
}
