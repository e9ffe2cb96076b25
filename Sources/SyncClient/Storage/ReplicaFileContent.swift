import Foundation
import GRDB
import ListChanges
import ListDocuments
import ListModel
import RawSQLite

/// The content of a replica's file, without the items.
struct ReplicaFileContent: Sendable {
  private var state = ListState.zero
  private var order = OrderParts()
  /// The next number of an item or a part.
  private var nextNumber: Int64 = 1
  private(set) var edits = EditQueue.empty
  /// No copy gets there: a higher number is damage, and could have no successor.
  private static let highestNumber = Int64.max / 2
}

extension ReplicaFileContent {
  /// Reads and verifies the whole file.
  ///
  /// - Parameter source: the expected list and server; nil for any.
  /// - Throws: `ReplicaError.otherSource`, `.damagedFile`.
  static func read(
    _ db: Database, path: String, source: ReplicaSource?
  ) throws -> (ReplicaFileContent, ReplicaSource, ListCopy) {
    func damaged(_ reason: String) -> ReplicaError { .damagedFile(path: path, reason: reason) }
    // Also check pages that are not read here: a damaged free page would fail every save.
    guard let found = try String.fetchOne(db, sql: "PRAGMA quick_check(1)"), found == "ok" else {
      throw damaged("its pages do not fit together")
    }
    guard let row = try Row.fetchOne(db, sql: "SELECT * FROM replica"),
      let server = row.value("server", String.self),
      let list = row.value("list", String.self).flatMap({ ListName($0) })
    else { throw damaged("it does not say what it is a copy of") }
    let own = ReplicaSource(server: server, list: list)
    if let source, own != source {
      throw ReplicaError.otherSource(
        path: path, found: own.description, expected: source.description)
    }
    guard let text = row.value("state", String.self), let state = ListState(document: text) else {
      throw damaged("its state is not one that its header proves")
    }
    guard let nextNumber = row.value("next_number", Int64.self),
      let partOrder = row.value("part_order", Data.self).flatMap({ [Int64](littleEndian: $0) })
    else { throw damaged("its one row about itself is not readable") }
    let order = try readOrder(db, partOrder, damaged)
    guard (order.keys + order.parts.map(\.number)).allSatisfy({ $0 < nextNumber }) else {
      throw damaged("its next number is taken")
    }
    guard nextNumber <= Self.highestNumber else { throw damaged("its next number is too high") }
    let items = try readItems(db, order.keys, damaged)
    do {
      let snapshot = try Snapshot(items)
      var copy = try ListCopy(state: state, snapshot: snapshot)
      copy.trust = trust(in: row, of: list, at: state)
      let content = ReplicaFileContent(
        state: state, order: order, nextNumber: nextNumber,
        edits: try readEdits(db, over: copy, damaged))
      return (content, own, copy)
    } catch let error as ReplicaError {
      throw error
    } catch {
      throw damaged("\(error)")
    }
  }

  private static func readOrder(
    _ db: Database, _ partOrder: [Int64], _ damaged: (String) -> ReplicaError
  ) throws -> OrderParts {
    var keys: [Int64: [Int64]] = [:]
    let rows = try Row.fetchCursor(db, sql: "SELECT part, keys FROM parts")
    while let row = try rows.next() {
      guard let number = row.value("part", Int64.self),
        let part = row.value("keys", Data.self).flatMap({ [Int64](littleEndian: $0) })
      else { throw damaged("a part of the order is not readable") }
      keys[number] = part
    }
    guard keys.count == partOrder.count else { throw damaged("parts of the order are missing") }
    return OrderParts(
      try partOrder.map { number in
        guard let part = keys[number] else { throw damaged("part \(number) is missing") }
        return OrderParts.Part(number: number, keys: part)
      })
  }

  private static func readItems(
    _ db: Database, _ keys: [Int64], _ damaged: (String) -> ReplicaError
  ) throws -> [Item] {
    var items: [Int64: Item] = [:]
    items.reserveCapacity(keys.count)
    let rows = try RawStatement(db, "SELECT key, id, content FROM items")
    defer { rows.reset() }
    // The root finds damaged ids and contents.
    while try rows.step() {
      items[rows.integer(0)] = Item(
        id: ItemID(rows.text(1)), content: Content(canonicalBytes: rows.bytes(2)))
    }
    guard items.count == keys.count else { throw damaged("it has not the items of its order") }
    return try keys.map { key in
      guard let item = items[key] else { throw damaged("item \(key) is missing") }
      return item
    }
  }

  /// Writes a step and the edits after it, within the transaction of the caller.
  ///
  /// - Returns: the new content.
  /// - Throws: `ReplicaError.notSaved` when the file is not at the start of the step, since another
  ///   program has written to it.
  func saving(
    _ step: ReplicaStep?, _ edits: EditQueue?, to db: Database
  ) throws -> ReplicaFileContent {
    var new = self
    try checkIsInFile(db)
    new.edits = try edits ?? step.map(self.edits.following) ?? self.edits
    if new.edits != self.edits { try new.write(new.edits, db) }
    if let step {
      try new.save(step, to: db)
    } else {
      // So that another program notices that the edits have changed.
      _ = new.newNumber()
      try db.execute(sql: "UPDATE replica SET next_number = ?", arguments: [new.nextNumber])
    }
    return new
  }

  private mutating func save(_ step: ReplicaStep, to db: Database) throws {
    let oldKeys = order.keys
    guard state == step.before.state, oldKeys.count == step.changes.oldCount else {
      throw ReplicaError.notSaved(
        reason: "the file is at \(state.knownCursor.short), not at \(step.before.cursor.short)",
        cause: .otherProgram)
    }
    try removeItems(step.changes, oldKeys, db)
    let keys = try writeItems(step.changes, oldKeys, db)
    try writeOrder(step.changes, keys, db)
    state = step.after.state
    try writeState(db, step.after.trust)
  }

  /// Checks that no other program has written to the file.
  private func checkIsInFile(_ db: Database) throws {
    let row = try Row.fetchOne(db, sql: "SELECT state, next_number FROM replica")
    guard row?.value("state", String.self) == state.document,
      row?.value("next_number", Int64.self) == nextNumber
    else {
      throw ReplicaError.notSaved(
        reason: "another program has written to the file", cause: .otherProgram)
    }
  }

  private func removeItems(_ changes: ChangeSet<Item>, _ keys: [Int64], _ db: Database) throws {
    let statement = try db.cachedStatement(sql: "DELETE FROM items WHERE key = ?")
    for removal in changes.removed { try statement.execute(arguments: [keys[removal.from]]) }
  }

  /// - Returns: the keys of the new list in order.
  private mutating func writeItems(
    _ changes: ChangeSet<Item>, _ oldKeys: [Int64], _ db: Database
  ) throws -> [Int64] {
    let insertion = try RawStatement(db, "INSERT INTO items (key, id, content) VALUES (?, ?, ?)")
    let update = try db.cachedStatement(sql: "UPDATE items SET content = ? WHERE key = ?")
    return try changes.carrying(oldKeys) { change in
      let key = newNumber()
      let item = change.element
      try insertion.run(.integer(key), .text(item.id.text), .blob(item.content.bytes))
      return key
    } update: { change, key in
      try update.execute(arguments: [Data(change.new.content.bytes), key])
      return key
    }
  }

  private mutating func writeOrder(
    _ changes: ChangeSet<Item>, _ keys: [Int64], _ db: Database
  ) throws {
    var next = nextNumber
    let difference = order.apply(changes, keys: keys) {
      next += 1
      return next - 1
    }
    nextNumber = next
    for part in difference.removed {
      try db.execute(sql: "DELETE FROM parts WHERE part = ?", arguments: [part])
    }
    for part in difference.written {
      try db.execute(
        sql: "INSERT OR REPLACE INTO parts (part, keys) VALUES (?, ?)",
        arguments: [part.number, part.keys.littleEndianData])
    }
    if difference.isOrderChanged {
      try db.execute(
        sql: "UPDATE replica SET part_order = ?",
        arguments: [order.parts.map(\.number).littleEndianData])
    }
  }

  private func writeState(_ db: Database, _ trust: HeadTrust?) throws {
    try db.execute(
      sql: """
        UPDATE replica SET state = ?, next_number = ?, note = ?, given_key = ?, present_key = ?
        """,
      arguments: [
        state.document, nextNumber, trust?.note, trust?.given.description,
        trust?.present.description,
      ])
  }

  /// The signed head of a file; nil if there is no valid one. A replica with a key then gets the
  /// whole list again.
  private static func trust(in row: Row, of list: ListName, at state: ListState) -> HeadTrust? {
    guard let note = row.value("note", String.self),
      let given = row.value("given_key", String.self).flatMap({ VerifierKey($0) }),
      let present = row.value("present_key", String.self).flatMap({ VerifierKey($0) })
    else { return nil }
    return try? HeadTrust(given: given, present: present, note: note, of: list, at: state)
  }

  private mutating func newNumber() -> Int64 {
    nextNumber += 1
    return nextNumber - 1
  }
}

extension [Int64] {
  /// Reads 8 bytes per number; nil if the count is not a multiple of 8.
  init?(littleEndian data: Data) {
    guard data.count % 8 == 0 else { return nil }
    self = data.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 8).map {
        Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: Int64.self))
      }
    }
  }

  var littleEndianData: Data {
    var data = Data(capacity: count * 8)
    for number in self {
      Swift.withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
    }
    return data
  }
}

extension Row {
  /// The value of a column; nil if it is missing or of another type, as in a damaged file.
  fileprivate func value<Value: DatabaseValueConvertible>(
    _ column: String, _ type: Value.Type
  ) -> Value? {
    guard let value = self[column] as DatabaseValue? else { return nil }
    return Value.fromDatabaseValue(value)
  }
}
