import ListChanges
import ListModel

/// A writer of the log in one transaction of an engine.
public final class ListWriter: ListReader {
  let engineWriter: any EngineWriter
  /// The lists that this transaction changed, and ``others`` if tokens or retired lists were
  /// recorded.
  var changed: Set<Int64> = []
  /// The lists whose rows are stored when the transaction ends.
  private var pending: Set<ListKey> = []
  /// The lists that no other transaction can change before this one ends.
  var locked: Set<ListKey> = []
  /// The changes of versions that are stored together, when they are read or many, or when the
  /// transaction ends; and the first change of each of these versions.
  private var unstored: [ListKey: (changes: [NewChange], starts: [Int64], byteCount: Int)] = [:]
  /// The first change of a list whose changes are being stored.
  private var storing: (list: ListKey, firstChange: Int64)?
  /// The number that stands for tokens and retired lists in ``changed``.
  static let others: Int64 = 0

  private init(on engine: any EngineWriter) {
    engineWriter = engine
    super.init(engine, remembersKeys: false)
  }

  /// Runs a body, then stores the rows that are not stored yet, and records the changed lists.
  static func run<Result>(
    on engine: any EngineWriter, _ body: (ListWriter) throws -> Result
  ) throws -> Result {
    let writer = ListWriter(on: engine)
    let result = try body(writer)
    try writer.storePending()
    if !writer.changed.isEmpty { try engine.record(changed: writer.changed) }
    // A merge changes no list.
    _ = try engine.release(.surplusAfterDeletion)
    return result
  }

  override func assertSeesOneState(of list: ListKey) {
    assert(locked.contains(list), "a list is read in a writing transaction without its lock")
  }

  func insert(_ row: StoredRow, into table: LogTable) throws {
    forgetRowsAhead(of: table)
    try row.withRow(upTo: row.values.count) { try engineWriter.insert($0, into: table) }
  }

  func replace(_ row: StoredRow, in table: LogTable) throws {
    forgetRowsAhead(of: table)
    try row.withRow(upTo: row.values.count) { try engineWriter.replace($0, in: table) }
  }

  func delete(_ range: RowRange) throws {
    forgetRowsAhead(of: range.order.table)
    try engineWriter.delete(range)
  }

  /// Makes other writers of a list wait. Does nothing the second time in a transaction. Forgets
  /// all earlier readings if one of them may have written since this transaction began.
  ///
  /// - Returns: whether one of them may have written.
  private func lock(_ list: ListKey) throws -> Bool {
    guard locked.insert(list).inserted, try engineWriter.lock(list.rawValue) else { return false }
    openedLists[list] = nil
    forgetRowsAhead()
    return true
  }

  /// Finds a list and locks it: a list has one writer at a time.
  public func lockedList(
    _ name: ListName, for queries: [ListQuery] = []
  ) throws -> ListRecord? {
    let remembered = engine.listKeys?.key(of: name).map(ListKey.init)
    if let remembered { _ = try lock(remembered) }
    try readAhead(name, remembered, for: queries)
    // Another writer may rename or drop the list while this one waits.
    while let key = try key(of: name) {
      if try !lock(key) { return try list(key, named: name, for: queries) }
      try readAhead(name, key, for: queries)
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
    opened(list).row = row
    pending.insert(list)
  }

  override func storesLater(_ list: ListKey) -> Bool { locked.contains(list) }

  override func firstUnstored(of list: ListKey) -> Int64? {
    unstored[list]?.starts.first ?? (storing?.list == list ? storing?.firstChange : nil)
  }

  /// Keeps the changes of a version, to be stored with those of others.
  func storeLater(_ changes: [NewChange], of list: ListKey) throws {
    guard let first = changes.first?.row.sequence else { return }
    var all = unstored[list] ?? ([], [], 0)
    all.changes += changes
    all.starts.append(first)
    all.byteCount += changes.byteCount
    unstored[list] = all
    if all.byteCount > Self.unstoredByteCount { try storeChanges(of: list) }
  }

  private static let unstoredByteCount = 1 << 22

  override func storeChanges(of list: ListKey) throws {
    guard let all = unstored.removeValue(forKey: list), let first = all.starts.first else { return }
    storing = (list, first)
    defer { storing = nil }
    try store(merge(with: all.changes, starts: all.starts, of: row(of: list)))
  }

  override func storePending() throws {
    for list in unstored.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      try storeChanges(of: list)
    }
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
    let key = try newListKey()
    let row = ListRow(key: key, name: name)
    opened(key).row = row
    try insert(StoredRow(of: .lists, row.values), into: .lists)
    try insert(StoredRow(of: .names, [.text(name.text), LogValue(key)]), into: .names)
    changed.insert(key.rawValue)
    return ListRecord(new: name, key)
  }

  /// Returns the key of a new list, which no other transaction can change before this one ends.
  func newListKey() throws -> ListKey {
    let key = ListKey(rawValue: try engineWriter.newListKey())
    guard (1...ListKey.largest).contains(key.rawValue) else { throw StoreError.listFull }
    locked.insert(key)
    return key
  }

  /// Deletes a list with all its versions, and records that.
  ///
  /// - Precondition: The record has the list's name, and no new one.
  /// - Complexity: O(r) rows deleted for the r rows of the list.
  public func drop(_ list: ListKey, _ record: RetiredList) throws {
    try empty(list)
    try leaveName(list, record)
  }

  /// Deletes all rows of a list, and its name in its own row, which stays.
  func empty(_ list: ListKey) throws {
    try update(list) { row in
      (row.name, row.head, row.oldest) = (nil, .zero, Version(1))
      (row.idRule, row.titlePath, row.nextChange, row.idDigests) = (nil, nil, 1, 0)
      (row.chainBefore, row.mergeCount) = (nil, 0)
      row.limits = .none
    }
    for table in LogTable.ofLists { try delete(RowRange(of: table, in: list)) }
    unstored[list] = nil
    let row = openedLists[list]?.row
    openedLists[list] = nil
    opened(list).row = row
  }

  /// Gives a list another name, and records that.
  ///
  /// - Precondition: The record has the list's name and the new one, which no list has.
  public func rename(_ list: ListKey, _ record: RetiredList) throws {
    guard let newName = record.newName else { preconditionFailure("the record has the new name") }
    try leaveName(list, record)
    try update(list) { $0.name = newName }
    try insert(StoredRow(of: .names, [.text(newName.text), LogValue(list)]), into: .names)
  }

  private func leaveName(_ list: ListKey, _ record: RetiredList) throws {
    let name = LogValue.text(record.name.text)
    try delete(RowRange(.key(.names), from: name, through: name))
    let last = try first(RowRange(of: .retiredLists).descending()) { $0.integer(0) } ?? 0
    try insert(StoredRow(of: .retiredLists, record.values(key: last + 1)), into: .retiredLists)
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

  /// Sets how many items of a list a snapshot or delta may change. Limits that are not given stay.
  public func setLimits(_ given: [LimitedChange: ChangeLimit], of list: ListKey) throws {
    try update(list) { $0.limits = $0.limits.setting(given) }
    changed.insert(list.rawValue)
  }
}

extension ListWriter {
  func insert(_ record: VersionRecord, into list: ListKey, firstChange: Int64) throws {
    let row = StoredRow(of: .versions, record.values(of: list, firstChange: firstChange))
    try insert(row, into: .versions)
    opened(list).versions = [:]
    engineWriter.setProof(row)
  }
}
