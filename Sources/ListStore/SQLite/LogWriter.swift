import GRDB
import ListChanges
import ListModel
import RawSQLite

/// Writes the rows of one step, giving out their numbers.
struct LogWriter {
  private let reader: SQLiteReader
  private let list: ListKey
  private let insertion: RawStatement
  /// Whether the list never held an item.
  private let isFirst: Bool
  /// The sequence of the row that is written next.
  private(set) var nextSequence: Int64

  init(reader: SQLiteReader, list: ListKey, firstChange: Int64) throws {
    self.reader = reader
    self.list = list
    nextSequence = firstChange
    isFirst = firstChange == 1
    insertion = try RawStatement(reader, DigestedTable.changes.insertion())
  }

  /// Where changes are at least this share of the list, the list is read at once.
  private static let wholeShare = 64

  /// Writes one row a changed item (an item that moved and changed has one), and returns the step
  /// as it is stored.
  mutating func write(
    _ step: ChangeSet<Item>, to order: inout HeadOrder
  ) throws -> ChangeSet<StoredItem> {
    let lookUpCount = step.count - step.inserted.count
    let all = lookUpCount * Self.wholeShare >= order.count ? try order.items() : nil
    func head(_ index: Int) throws -> StoredItem { try all?[index] ?? order.item(at: index) }
    let removed = try step.removed.map { removal in
      let item = try head(removal.from)
      try insert(.remove, item: item.id, from: removal.from, oldContent: item.content)
      return ChangeSet<StoredItem>.Removal(from: removal.from, element: item)
    }
    var updates = Dictionary(uniqueKeysWithValues: step.updated.map { ($0.from, $0) })
    var updated: [ChangeSet<StoredItem>.Update] = []
    let moved = try step.moved.map { move in
      let item = try head(move.from)
      if let update = updates.removeValue(forKey: move.from) {
        updated.append(try write(.move, update, of: item))
      } else {
        try insert(
          .move, item: item.id, from: move.from, to: move.to, oldContent: item.content,
          newContent: item.content)
      }
      return ChangeSet<StoredItem>.Move(from: move.from, to: move.to, id: item.id)
    }
    let inserted = try step.inserted.map { try write($0) }
    for update in step.updated where updates[update.from] != nil {
      updated.append(try write(.update, update, of: head(update.from)))
    }
    return try ChangeSet(
      oldCount: step.oldCount, newCount: step.newCount, removed: removed, moved: moved,
      inserted: inserted, updated: updated.sorted { $0.to < $1.to })
  }

  private mutating func write(
    _ kind: ChangeKind, _ update: ChangeSet<Item>.Update, of item: StoredItem
  ) throws -> ChangeSet<StoredItem>.Update {
    let known = try contentKey(of: update.new.content, item: item.id)
    let new = StoredItem(id: item.id, content: known ?? nextContent)
    try insert(
      kind, item: item.id, from: update.from, to: update.to, oldContent: item.content,
      newContent: known, content: known == nil ? update.new.content : nil)
    return .init(from: update.from, to: update.to, old: item, new: new)
  }

  mutating func write(
    _ insertion: ChangeSet<Item>.Insertion
  ) throws -> ChangeSet<StoredItem>.Insertion {
    let item = insertion.element
    let known = isFirst ? nil : try reader.key(of: item.id, in: list)
    let content = try known.flatMap { try contentKey(of: item.content, item: $0) }
    let new = StoredItem(
      id: known ?? ItemKey(list, sequence: nextSequence), content: content ?? nextContent)
    try insert(
      .insert, item: known, id: known == nil ? item.id : nil, to: insertion.to,
      newContent: content, content: content == nil ? item.content : nil)
    return .init(to: insertion.to, element: new)
  }

  private var nextContent: ContentKey { ContentKey(list, sequence: nextSequence) }

  /// So many of an item's newest changes are searched for a content that comes back: an item with a
  /// long history must not make its commits slower.
  private static let searchedChangeCount = 16

  /// The key of a content that the item had before; nil when it never had it, or long ago.
  private func contentKey(of content: Content, item: ItemKey) throws -> ContentKey? {
    let statement = try RawStatement(
      reader,
      """
      SELECT change_id FROM changes WHERE change_id = ?1 AND content = ?2
      UNION ALL
      SELECT change_id FROM (
        SELECT change_id, content FROM changes WHERE list_id = ?3 AND item = ?4
        ORDER BY change_id DESC LIMIT \(Self.searchedChangeCount))
      WHERE content = ?2
      LIMIT 1
      """)
    statement.bind(item.rawValue, at: 1)
    statement.bind(text: content.bytes, at: 2)
    statement.bind(list.rawValue, at: 3)
    statement.bind(item.sequence, at: 4)
    defer { statement.reset() }
    return try statement.step() ? ContentKey(rawValue: statement.integer(0)) : nil
  }

  /// - Parameters:
  ///   - item: nil where the row introduces it.
  ///   - newContent: nil where the row writes it, or there is none.
  private mutating func insert(
    _ kind: ChangeKind, item: ItemKey?, id: ItemID? = nil, from: Int? = nil, to: Int? = nil,
    oldContent: ContentKey? = nil, newContent: ContentKey? = nil, content: Content? = nil
  ) throws {
    insertion.bind(list.base | nextSequence, at: 1)
    insertion.bind(kind.rawValue, at: 2)
    insertion.bind(item?.sequence, at: 3)
    insertion.bind(kind == .update && from == to ? nil : from.map(Int64.init), at: 5)
    insertion.bind(to.map(Int64.init), at: 6)
    insertion.bind(oldContent?.sequence, at: 7)
    insertion.bind(newContent?.sequence, at: 8)
    try insertion.run(text: id?.text, at: 4, content: content?.bytes, at: 9)
    nextSequence += 1
  }
}
