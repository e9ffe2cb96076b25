import GRDB
import ListChanges
import ListDocuments
import ListModel
import RawSQLite

/// Writes a step of the rows, in one transaction: of d changes O(d) rows, and the groups in which
/// they are.
///
/// It reads all that it needs before it writes, since rows are read by the places of their groups.
struct RowWriter {
  /// A new or moved item. It names a change, since a whole list has many.
  private struct Arrival {
    let index: Int
    /// The position among the step's insertions or, if it is not new, among its moves.
    let position: Int
    let isNew: Bool
  }

  private let db: Database
  private let old: TableRows
  private let step: ChangeSet<Item>
  private let items: ItemWriter
  private let update: TreeUpdate
  /// New and moved items, in the order of the new list.
  private let arrivals: [Arrival]
  /// The marks of the items in new groups, by the new index of the first one.
  private var marks: [Int: [UInt32]] = [:]
  /// The first items of the groups in new parts.
  private var groupStarts: Set<Int> = []
  /// The places of items beside arrivals, of the first ones in new groups, and of written moves, by
  /// their new indexes.
  private var places: [Int: Int64] = [:]
  /// The places that rows got by spreading, in the order of the spreadings.
  private var spreadings: [[Int64: Int64]] = []

  /// - Parameters:
  ///   - old: the rows, read in the transaction.
  ///   - step: from the rows; each move has its id.
  ///   - tree: that of the new rows, if it is known.
  init(_ db: Database, _ old: TableRows, _ step: ChangeSet<Item>, tree: RootTree?) throws {
    (self.db, self.old, self.step) = (db, old, step)
    items = ItemWriter(db, old.table)
    var new = StoredList(old)
    update = try new.apply(updating: step, tree)
    let moved = step.moved.indices.map {
      Arrival(index: step.moved[$0].to, position: $0, isNew: false)
    }
    let inserted = step.inserted.indices.map {
      Arrival(index: step.inserted[$0].to, position: $0, isNew: true)
    }
    arrivals = (moved + inserted).sorted { $0.index < $1.index }
    update.forEachNewGroup { group, start in
      groupStarts.insert(start)
      if !old.knows(group) { marks[start] = group.items.map(\.mark) }
    }
    try readPlaces(new)
  }

  /// Reads the places of the items that stay beside arrivals, or at the start of a new group.
  private mutating func readPlaces(_ new: StoredList) throws {
    var staying = Set(marks.keys)
    for (number, arrival) in arrivals.enumerated() {
      let (before, after) = (arrival.index - 1, arrival.index + 1)
      if number == 0 || arrivals[number - 1].index != before { staying.insert(before) }
      if number == arrivals.count - 1 || arrivals[number + 1].index != after {
        staying.insert(after)
      }
    }
    staying = staying.filter { index in
      let next = arrivals.partitioningIndex { $0.index >= index }
      let isArriving = next < arrivals.count && arrivals[next].index == index
      return 0..<step.newCount ~= index && !isArriving
    }
    let indexes = staying.map { (index: $0, row: new.row($0)) }.sorted { $0.row < $1.row }
    let rows = try old.placedItems(at: indexes.map(\.row).asRanges)
    for (index, row) in zip(indexes, rows) { places[index.index] = row.place }
  }

  /// Writes all.
  ///
  /// - Returns: the rows after the step.
  mutating func write() throws -> TableRows {
    for removal in step.removed { try items.delete(removal.element.id) }
    try writeArrivals()
    for update in step.updated { try items.update(update.new) }
    return try TableRows(
      old.table, copy: old.copy, revision: old.revision + 1, parts: try writeParts(),
      .transaction(db))
  }
}

// MARK: Places

extension RowWriter {
  /// Writes new and moved items between the rows that stay.
  private mutating func writeArrivals() throws {
    var rest = arrivals[...]
    while let first = rest.first {
      // Neighbours get their places together.
      var count = 1
      while count < rest.count, rest[rest.startIndex + count].index == first.index + count {
        count += 1
      }
      let found = try freePlaces(for: first.index..<first.index + count)
      for (arrival, place) in zip(rest.prefix(count), found) {
        if arrival.isNew {
          try items.insert(step.inserted[arrival.position].element, at: place)
        } else {
          guard let id = step.moved[arrival.position].id else {
            preconditionFailure("every move has its id")
          }
          try items.move(id, to: place)
        }
        if !arrival.isNew || groupStarts.contains(arrival.index) {
          places[arrival.index] = place
        }
      }
      rest = rest.dropFirst(count)
    }
  }

  private mutating func freePlaces(for range: Range<Int>) throws -> [Int64] {
    while true {
      let before = range.lowerBound == 0 ? nil : place(of: range.lowerBound - 1)
      let after = range.upperBound == step.newCount ? nil : place(of: range.upperBound)
      if let found = SparsePlaces.between(before, after, count: range.count) { return found }
      try spread(around: before ?? 0, for: range.count)
    }
  }

  private func place(of index: Int) -> Int64 {
    guard let place = places[index] else { preconditionFailure("the place was read") }
    return place
  }

  private mutating func spread(around place: Int64, for count: Int) throws {
    let table = old.table
    let (from, to) = try SparsePlaces.spread(for: count) {
      try table.neighbours(db, "place <= ?1 ORDER BY place DESC", place, $0)
    } above: {
      try table.neighbours(db, "place > ?1 ORDER BY place", place, $0)
    }
    try table.move(db, from, to: to)
    let spreading = Dictionary(uniqueKeysWithValues: zip(from, to))
    places = places.mapValues { spreading[$0] ?? $0 }
    spreadings.append(spreading)
  }

  /// The present place of a row that has not been written, but for spreadings.
  private func present(_ place: Int64) -> Int64 {
    spreadings.reduce(place) { place, spreading in spreading[place] ?? place }
  }
}

// MARK: Groups

extension RowWriter {
  /// Writes the groups of the new rows.
  ///
  /// - Returns: the new parts, in order.
  private func writeParts() throws -> [TableRows.Part] {
    var (parts, kept) = ([TableRows.Part](), Set<Int64>())
    var changed: [(position: Int, groups: [TableRows.Group])] = []
    var index = 0
    for piece in update.parts {
      switch piece {
      case .old(let rows):
        for position in old.positions(of: rows) {
          var part = old.parts[position]
          if let number = part.number { kept.insert(number) }
          if hasOtherPlaces(position) {
            let groups = placed(try old.groups(ofPart: position), from: index)
            part.firstPlace = groups[0].firstPlace
            changed.append((parts.count, groups))
          }
          parts.append(part)
          index += part.count
        }
      case .new(let nodes):
        for node in nodes {
          let groups = placed(
            (node.level == 1 ? [node] : node.groups).map { old.group($0) }, from: index)
          changed.append((parts.count, groups))
          parts.append(
            TableRows.Part(
              number: nil, firstPlace: groups[0].firstPlace, count: node.itemCount, hash: node.hash)
          )
          index += node.itemCount
        }
      }
    }
    var free = old.parts.compactMap(\.number).filter { !kept.contains($0) }[...]
    for (position, groups) in changed {
      if parts[position].number == nil { parts[position].number = free.popFirst() }
      try CopyTables.write(db, &parts[position], groups, of: old.copy)
    }
    for number in free { try CopyTables.deleteGroup(db, number) }
    return parts
  }

  /// Whether rows of an old part that is in the new list have moved, or were spread.
  private func hasOtherPlaces(_ position: Int) -> Bool {
    let rows = old.starts[position]..<old.starts[position + 1]
    if step.moved.contains(where: { rows.contains($0.from) }) { return true }
    let first = old.parts[position].firstPlace
    let next = position + 1 < old.parts.count ? old.parts[position + 1].firstPlace : .max
    return spreadings.contains { $0.keys.contains { first <= $0 && $0 < next } }
  }

  /// Groups with the present places of their first rows, and with the marks of new ones.
  private func placed(_ groups: [TableRows.Group], from start: Int) -> [TableRows.Group] {
    var index = start
    return groups.map { group in
      defer { index += group.node.itemCount }
      var group = group
      if group.marks.isEmpty {
        group.marks = marks[index] ?? []
        group.firstPlace = place(of: index)
      } else {
        group.firstPlace = places[index] ?? present(group.firstPlace)
      }
      return group
    }
  }
}

extension TreeUpdate {
  /// Calls a closure for each group of level 1 in the new parts, with the new index of its first
  /// item.
  fileprivate func forEachNewGroup(_ body: (RootNode, _ start: Int) throws -> Void) rethrows {
    var index = 0
    for piece in parts {
      switch piece {
      case .old(let rows): index += rows.count
      case .new(let nodes):
        for group in nodes.flatMap({ $0.level == 1 ? [$0] : $0.groups }) {
          try body(group, index)
          index += group.itemCount
        }
      }
    }
  }
}

extension ItemTable {
  func neighbours(
    _ db: Database, _ condition: String, _ place: Int64, _ limit: Int
  ) throws -> [Int64] {
    let found = try Int64.fetchAll(
      db.cachedStatement(
        sql: "SELECT DISTINCT place FROM \(quotedName) WHERE \(condition) LIMIT ?2"),
      arguments: [place, limit])
    guard found.allSatisfy(SparsePlaces.range.contains) else {
      throw ReplicaError.changedRows(
        table: title, ids: [], reason: "some of its rows have other places")
    }
    return found
  }

  /// Gives rows other places. First all go where no row is, since a new place may be an old one.
  func move(_ db: Database, _ old: [Int64], to new: [Int64]) throws {
    let away = SparsePlaces.away
    try db.cachedStatement(
      sql: "UPDATE \(quotedName) SET place = place + ?1 WHERE place BETWEEN ?2 AND ?3"
    ).execute(arguments: [away, old[0], old[old.count - 1]])
    let statement = try db.cachedStatement(
      sql: "UPDATE \(quotedName) SET place = ?1 WHERE place = ?2")
    for (old, new) in zip(old, new) { try statement.execute(arguments: [new, old + away]) }
  }
}
