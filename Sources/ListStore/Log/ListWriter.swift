import ListChanges
import ListModel

/// A writer of the log in one transaction of an engine.
public final class ListWriter: ListReader {
  let engineWriter: any EngineWriter
  /// The lists that this transaction changed, and ``others`` if tokens or former lists were
  /// recorded.
  var changed: Set<Int64> = []
  /// The lists whose rows are stored when the transaction ends.
  private var pending: Set<ListKey> = []
  /// The lists that no other transaction can change before this one ends.
  var locked: Set<ListKey> = []
  /// The number that stands for tokens and former lists in ``changed``.
  static let others: Int64 = 0

  private init(on engine: any EngineWriter) {
    engineWriter = engine
    super.init(engine)
  }

  /// Runs a body, then stores the rows that are not stored yet, and records the changed lists.
  static func run<Result>(
    on engine: any EngineWriter, _ body: (ListWriter) throws -> Result
  ) throws -> Result {
    let writer = ListWriter(on: engine)
    let result = try body(writer)
    try writer.storePending()
    if !writer.changed.isEmpty { try engine.record(changed: writer.changed) }
    return result
  }

  func insert(_ row: StoredRow, into table: LogTable) throws {
    try row.withRow(upTo: row.values.count) { try engineWriter.insert($0, into: table) }
  }

  func replace(_ row: StoredRow, in table: LogTable) throws {
    try row.withRow(upTo: row.values.count) { try engineWriter.replace($0, in: table) }
  }

  /// Makes other writers of a list wait. Does nothing the second time in a transaction.
  ///
  /// - Returns: whether one of them may have written since this transaction began.
  private func lock(_ list: ListKey) throws -> Bool {
    guard locked.insert(list).inserted, try engineWriter.lock(list.rawValue) else { return false }
    (listRows[list], headParts[list], slices[list], lastSteps) = (nil, nil, nil, nil)
    return true
  }

  /// Finds a list and locks it: a list has one writer at a time.
  public override func list(
    _ name: ListName, for queries: [ListQuery] = []
  ) throws -> ListRecord? {
    let remembered = engine.rememberedKey(of: name.text).map(ListKey.init)
    if let remembered, try lock(remembered) {
      try prepare(name, remembered, for: queries)
    } else if remembered == nil {
      try prepare(name)
    }
    // Another writer may rename or drop the list while this one waits.
    while let key = try key(of: name) {
      if try !lock(key) { return try list(key, named: name) }
      try prepare(name, key, for: queries)
    }
    return nil
  }

  func lockedRow(of list: ListKey) throws -> ListRow {
    _ = try lock(list)
    return try row(of: list)
  }

  /// Changes the row of a list, which is stored when the transaction ends.
  func update(_ list: ListKey, _ change: (inout ListRow) -> Void) throws {
    var row = try lockedRow(of: list)
    change(&row)
    listRows[list] = row
    pending.insert(list)
  }

  override func storePending() throws {
    for list in pending.sorted(by: { $0.rawValue < $1.rawValue }) {
      try replace(StoredRow(of: .lists, row(of: list).values), in: .lists)
    }
    pending = []
  }
}

extension ListWriter {
  /// Creates a list at version 0.
  ///
  /// - Precondition: There is no list of that name.
  public func createList(_ name: ListName) throws -> ListRecord {
    let key = ListKey(rawValue: try engineWriter.newListKey())
    guard (1...ListKey.largest).contains(key.rawValue) else { throw StoreError.listFull }
    let row = ListRow(key: key, name: name)
    (listRows[key], _) = (row, locked.insert(key))
    try insert(StoredRow(of: .lists, row.values), into: .lists)
    try insert(StoredRow(of: .names, [.text(name.text), LogValue(key)]), into: .names)
    changed.insert(key.rawValue)
    return ListRecord(new: name, key)
  }

  /// Deletes a list with all its versions, and records that.
  ///
  /// - Precondition: The record has the list's name, and no new one.
  /// - Complexity: O(r) rows deleted for the r rows of the list.
  public func drop(_ list: ListKey, _ record: FormerList) throws {
    try update(list) { row in
      (row.name, row.head, row.oldest) = (nil, .zero, Version(1))
      (row.idRule, row.titlePath, row.nextChange, row.idDigests) = (nil, nil, 1, 0)
      (row.chainBefore, row.firstPlain, row.keepsPlain) = (nil, 1, false)
      row.removalLimit = .unlimited
    }
    for table in LogTable.ofLists { try engineWriter.delete(RowRange(of: table, in: list)) }
    try leaveName(list, record)
  }

  /// Gives a list another name, and records that.
  ///
  /// - Precondition: The record has the list's name and the new one, which no list has.
  public func rename(_ list: ListKey, _ record: FormerList) throws {
    guard let newName = record.newName else { preconditionFailure("the record has the new name") }
    try leaveName(list, record)
    try update(list) { $0.name = newName }
    try insert(StoredRow(of: .names, [.text(newName.text), LogValue(list)]), into: .names)
  }

  private func leaveName(_ list: ListKey, _ record: FormerList) throws {
    let name = LogValue.text(record.name.text)
    try engineWriter.delete(RowRange(.key(.names), from: name, through: name))
    let last = try first(RowRange(of: .formerLists).descending()) { $0.integer(0) } ?? 0
    try insert(StoredRow(of: .formerLists, record.values(key: last + 1)), into: .formerLists)
    changed.formUnion([list.rawValue, Self.others])
  }

  /// Sets how ids are found in a list's snapshot files. The store does not interpret this text.
  public func setIDRule(_ idRule: String, of list: ListKey) throws {
    try update(list) { $0.idRule = idRule }
    changed.insert(list.rawValue)
  }

  /// Sets the path of the title in the items of a list.
  public func setTitlePath(_ path: JSONPointer, of list: ListKey) throws {
    try update(list) { $0.titlePath = path }
    changed.insert(list.rawValue)
  }

  /// Sets how many items of a list a snapshot or delta may remove.
  public func setRemovalLimit(_ limit: RemovalLimit, of list: ListKey) throws {
    try update(list) { $0.removalLimit = limit }
    changed.insert(list.rawValue)
  }
}

extension ListWriter {
  func insert(_ record: VersionRecord, into list: ListKey, firstChange: Int64) throws {
    let row = StoredRow(of: .versions, record.values(of: list, firstChange: firstChange))
    try insert(row, into: .versions)
    engineWriter.setProof(row)
  }
}

/// An insertion of change rows, one by one, without copies of their texts.
struct ChangeInsertion {
  private var cells: [LogCell]

  init(_ list: ListKey) {
    cells = Array(repeating: .null, count: LogTable.changes.layout.columns.count)
    cells[0] = .integer(list.rawValue)
  }

  mutating func insert(
    _ row: ChangeRow, _ id: ItemID?, _ content: Content?, into engine: any EngineWriter
  ) throws {
    cells[1] = .integer(row.sequence)
    cells[2] = .integer(row.kind.rawValue)
    cells[3] = LogCell(row.itemColumn)
    cells[4] = LogCell(row.oldIndexColumn)
    cells[5] = LogCell(row.newIndexColumn)
    cells[6] = LogCell(row.oldContentColumn)
    cells[7] = LogCell(row.newContentColumn)
    var text = id?.text ?? ""
    try text.withUTF8 { idBytes in
      try (content?.bytes ?? []).withUnsafeBytes { contentBytes in
        cells[8] = id == nil ? .null : .bytes(UnsafeRawBufferPointer(idBytes))
        cells[9] = content == nil ? .null : .bytes(contentBytes)
        let digest = cells.withUnsafeBufferPointer { LogTable.changes.digest(of: LogRow($0)) }
        cells[10] = .integer(digest)
        try cells.withUnsafeBufferPointer { try engine.insert(LogRow($0), into: .changes) }
      }
    }
  }
}

extension LogCell {
  fileprivate init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }
}
