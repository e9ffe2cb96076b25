import ListChanges
import ListModel
import RawSQLite

/// Appends versions of a list to an export.
///
/// An inserted, moved or updated item gets a row. A row's *place* is its rank among all rows of the
/// list: an inserted or moved item is placed directly behind the item before it, and an updated
/// item keeps its place. Kept items never change their relative order, so the rows of every version
/// sort by place.
struct RowAppender {
  /// An item of the newest version.
  private struct Slot: Identifiable, Equatable {
    /// The first of its rows with its place.
    let id: Int64
    /// The newest row.
    var row: Int64
  }

  /// A row that an item gets because it was inserted or moved.
  private struct Arrival {
    let to: Int
    let slot: Slot
    let source: Source
  }

  private enum Source {
    case item(Item)
    /// A moved item, which keeps its id, and its content unless there is a new one.
    case row(Int64, newContent: Content?)
  }

  private let file: ExportFile
  private let list: ListName
  /// The newest version.
  private var slots: ReplayedList<Slot>
  private var lastRow: Int64
  /// How many rows were written.
  private(set) var rowCount = 0

  /// - Complexity: reads a number for each item of the newest version.
  init(_ file: ExportFile, _ list: ListName) throws {
    (self.file, self.list) = (file, list)
    var found: [Slot] = []
    try file.run(
      """
      SELECT rowid FROM items WHERE list = ? AND until = \(ExportSchema.open) ORDER BY place
      """, [.text(list.text)]
    ) { found.append(Slot(id: $0.integer(0), row: $0.integer(0))) }
    slots = ReplayedList(found)
    lastRow = try file.integer("SELECT max(rowid) FROM items", []) ?? 0
  }

  /// The number of items of the newest version.
  var count: Int { slots.count }

  /// Writes the rows of the next version.
  ///
  /// - Precondition: The changes are from the newest version.
  /// - Throws: `ListChangesError` where the changes contradict each other; `ExportError`.
  /// - Complexity: for d changes in g groups of neighbours, at most 2 d + 3 g statements.
  mutating func append(_ changes: ChangeSet<Item>, at version: Version) throws {
    let moved = Set(changes.moved.map(\.to))
    let newContents = Dictionary(
      uniqueKeysWithValues: changes.updated.filter { moved.contains($0.to) }
        .map { ($0.to, $0.new.content) })
    let updates = changes.updated.filter { !moved.contains($0.to) }.map { update in
      let old = slots[update.from]
      let new = Slot(id: old.id, row: nextRow())
      return (
        slots: ChangeSet<Slot>.Update(from: update.from, to: update.to, old: old, new: new),
        content: update.new.content
      )
    }
    var arrivals = changes.inserted.map { insertion in
      Arrival(to: insertion.to, slot: nextSlot(), source: .item(insertion.element))
    }
    arrivals += changes.moved.map { move in
      let source = Source.row(slots[move.from].row, newContent: newContents[move.to])
      return Arrival(to: move.to, slot: nextSlot(), source: source)
    }
    arrivals.sort { $0.to < $1.to }
    let departures = (changes.removed.map(\.from) + changes.moved.map(\.from)).sorted()
      .map { ChangeSet<Slot>.Removal(from: $0, element: slots[$0]) }

    for row in departures.map(\.element.row) + updates.map(\.slots.old.row) {
      try file.run(
        "UPDATE items SET until = ? WHERE rowid = ?", [.integer(version), .integer(row)])
    }
    for update in updates { try insert(update.slots, update.content, at: version) }
    // To the slots, a moved item is another one.
    try slots.apply(
      ChangeSet(
        oldCount: changes.oldCount, newCount: changes.newCount, removed: departures,
        inserted: arrivals.map { .init(to: $0.to, element: $0.slot) },
        updated: updates.map(\.slots)))
    try insert(arrivals, at: version)
    rowCount += updates.count + arrivals.count
  }

  private mutating func nextRow() -> Int64 {
    lastRow += 1
    return lastRow
  }

  private mutating func nextSlot() -> Slot {
    let row = nextRow()
    return Slot(id: row, row: row)
  }

  /// Writes the row of an item that was updated in its place.
  private func insert(
    _ update: ChangeSet<Slot>.Update, _ content: Content, at version: Version
  ) throws {
    try file.run(
      """
      INSERT INTO items (rowid, list, place, since, until, id, content)
      SELECT ?, list, place, ?, \(ExportSchema.open), id, ? FROM items WHERE rowid = ?
      """,
      [
        .integer(update.new.row), .integer(version), .utf8(content.bytes),
        .integer(update.old.row),
      ])
  }

  /// Writes the rows of items that arrived. Neighbours share the gap behind the item before them.
  private func insert(_ arrivals: [Arrival], at version: Version) throws {
    var rest = arrivals[...]
    while let first = rest.first {
      let group = zip(rest, first.to...).prefix { $0.to == $1 }.map { $0.0 }
      rest = rest.dropFirst(group.count)
      let previous = first.to == 0 ? nil : slots[first.to - 1].row
      let places = try file.places(for: group.count, behind: previous, of: list)
      for (arrival, place) in zip(group, places) {
        try insert(arrival, place: place, at: version)
      }
    }
  }

  private func insert(_ arrival: Arrival, place: Int64, at version: Version) throws {
    switch arrival.source {
    case .item(let item):
      try file.run(
        """
        INSERT INTO items (rowid, list, place, since, until, id, content)
        VALUES (?, ?, ?, ?, \(ExportSchema.open), ?, ?)
        """,
        [
          .integer(arrival.slot.row), .text(list.text), .integer(place), .integer(version),
          .text(item.id.text), .utf8(item.content.bytes),
        ])
    case .row(let row, let newContent):
      try file.run(
        """
        INSERT INTO items (rowid, list, place, since, until, id, content)
        SELECT ?, list, ?, ?, \(ExportSchema.open), id, coalesce(?, content) FROM items
        WHERE rowid = ?
        """,
        [
          .integer(arrival.slot.row), .integer(place), .integer(version),
          newContent.map { .utf8($0.bytes) } ?? .null, .integer(row),
        ])
    }
  }
}

extension RawValue {
  fileprivate static func integer(_ version: Version) -> RawValue {
    .integer(Int64(version.number))
  }
}
