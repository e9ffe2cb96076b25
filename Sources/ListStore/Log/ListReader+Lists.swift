import ListModel

/// A row of `lists`.
struct ListRow: Equatable {
  let key: ListKey
  /// The name; nil for a list that was dropped. The row of such a list stays, so that its key is
  /// not given again.
  var name: ListName?
  var head: Version
  var oldest: Version
  /// The chain of the version before the oldest; nil if that is version 0.
  var chainBefore: Chain?
  var idRule: String?
  var titlePath: JSONPointer?
  /// The number of the next new change.
  var nextChange: Int64
  /// The sum of the digests of the list's rows of `id_parts`. It shows whether one of these rows is
  /// outdated because a write of it was lost. Such a row has a correct digest, but lacks ids, so an
  /// item could be inserted twice.
  var idDigests: Int64
  /// How often segments were replaced by others than commits. So a commit notices if segments that
  /// it replaces are gone.
  var mergeCount: Int64
  /// The count begins again at this number.
  static let mergeCountLimit: Int64 = 1 << 32
  var limits = ChangeLimits.none

  init(key: ListKey, name: ListName) {
    (self.key, self.name, head, oldest) = (key, name, .zero, Version(1))
    (nextChange, idDigests, mergeCount) = (1, 0, 0)
  }

  init(_ row: LogRow) throws {
    key = ListKey(rawValue: row.integer(0))
    let (nameText, titleText) = (row.optionalText(1), row.optionalText(5))
    let limits = try ChangeLimits(row)
    let (head, oldest) = (row.integer(2), row.integer(3))
    name = nameText.flatMap(ListName.init)
    titlePath = titleText.flatMap(JSONPointer.init)
    let hasChain = !row.isNull(8)
    chainBefore = hasChain ? Chain(bytes: row.bytes(8)) : nil
    guard (chainBefore != nil) == hasChain,
      (name == nil) == (nameText == nil), (titlePath == nil) == (titleText == nil),
      oldest > 0
    else { throw LogTable.lists.brokenRules }
    (self.head, self.oldest) = (Version(Int(head)), Version(Int(oldest)))
    idRule = row.optionalText(4)
    (nextChange, idDigests, mergeCount) = (row.integer(6), row.integer(7), row.integer(9))
    self.limits = limits
  }

  var values: [LogValue] {
    [
      LogValue(key), LogValue(name?.text), LogValue(head), LogValue(oldest), LogValue(idRule),
      LogValue(titlePath?.description), .integer(nextChange), .integer(idDigests),
      chainBefore.map { .bytes($0.bytes) } ?? .null, .integer(mergeCount),
    ] + LimitedChange.allCases.map { LogValue(limits[$0].text) }
  }

  /// The version before the oldest one, with its chain.
  var stateBefore: (version: Version, chain: Chain) {
    (Version(oldest.number - 1), chainBefore ?? .zero)
  }

  /// Whether the first version of the list is being stored, so that the directory lacks its name.
  var isUnfinished: Bool { name != nil && head == .zero && nextChange > 1 }

  /// The record of the list; nil for a list that was dropped or is unfinished.
  var record: ListRecord? {
    if isUnfinished { return nil }
    return name.map {
      ListRecord(
        key: key, name: $0, head: head, oldest: oldest, idRule: idRule, limits: limits)
    }
  }
}

extension ChangeLimits {
  private static let firstColumn = 10

  fileprivate init(_ row: LogRow) throws {
    self = .none
    for (index, kind) in LimitedChange.allCases.enumerated() {
      guard let text = row.optionalText(Self.firstColumn + index) else { continue }
      guard let limit = ChangeLimit(text) else { throw LogTable.lists.brokenRules }
      self[kind] = limit
    }
  }
}

extension ListReader {
  /// Returns some lists, ordered by name.
  ///
  /// - Complexity: O(1) rows read for each list in the answer.
  public func lists(_ selection: ListSelection) throws -> [ListRecord] {
    var range = RowRange(of: .names)
    switch selection {
    case .all: break
    case .keys(let keys):
      return try listRows(of: keys).compactMap { $0?.record }.sorted { $0.name < $1.name }
    case .names(let names):
      if let limit = names.limit, limit < 1 { return [] }
      let after: [UInt8] = names.after.map { Array($0.text.utf8) + [0] } ?? []
      let prefix = Array(names.prefix.utf8)
      range.from = .bytes(after.lexicographicallyPrecedes(prefix) ? prefix : after)
      range.through = .text(names.end)
      range.limit = names.limit
    }
    let entries = try rows(range) { (key: ListKey(rawValue: $0.integer(1)), name: $0.text(0)) }
    return try zip(entries, listRows(of: entries.map(\.key))).map { entry, row in
      guard let record = row?.record, record.name.text == entry.name else {
        throw LogTable.names.brokenRules
      }
      return record
    }
  }

  /// Returns the key that the directory has for a name; nil if it has none.
  func key(of name: ListName) throws -> ListKey? {
    try first(Self.entry(of: name)) { ListKey(rawValue: $0.integer(1)) }
  }

  /// - Parameter queries: what will be read of the list.
  func list(
    _ key: ListKey, named name: ListName, for queries: [ListQuery] = []
  ) throws -> ListRecord {
    guard let record = try listRows(of: [key])[0]?.record, record.name == name else {
      throw LogTable.names.brokenRules
    }
    guard record.oldest <= max(record.head, Version(1)) else {
      throw StoreError.corrupt(reason: "the oldest version of \(name) is after its newest")
    }
    for case .versions(let versions) in queries { try readVersions(versions, of: key) }
    return record
  }

  /// Returns a record for a list that does not exist yet. This transaction then reads the list as
  /// an empty one.
  public func listToCreate(_ name: ListName) -> ListRecord {
    let list = ListKey(rawValue: 0)
    opened(list).row = ListRow(key: list, name: name)
    return ListRecord(new: name, list)
  }

  static func entry(of name: ListName) -> RowRange {
    let text = LogValue.text(name.text)
    return RowRange(.key(.names), from: text, through: text).limited(to: 1)
  }

  /// Returns the rows of lists, with the changes of this transaction; nil for a list without a row.
  func listRows(of keys: [ListKey]) throws -> [ListRow?] {
    let missing = keys.filter { openedLists[$0]?.row == nil }
    try visit(.lists, missing.map { RowKey($0) }) { position, row in
      opened(missing[position]).row = try ListRow(row)
    }
    return keys.map { openedLists[$0]?.row }
  }

  func row(of list: ListKey) throws -> ListRow {
    guard let row = try openedLists[list]?.row ?? listRows(of: [list])[0] else {
      throw StoreError.corrupt(reason: "a list is missing")
    }
    return row
  }

  /// Returns the paths of the titles in the items of lists, for the lists that have such a path.
  public func titlePaths(of lists: [ListKey]) throws -> [ListKey: JSONPointer] {
    let paths = try listRows(of: lists).map { $0?.titlePath }
    return Dictionary(zip(lists, paths), uniquingKeysWith: { $1 }).compactMapValues(\.self)
  }

  /// Returns the lists that changed after a mark, and the mark of the state that is read.
  ///
  /// - Parameter mark: an earlier answer of this store; nil to ask for a first mark.
  /// - Returns: nil as the changes if the record does not reach back to the mark. Then everything
  ///   may have changed.
  /// - Complexity: O(c) rows read for c changes, of which the store records a bounded number.
  public func changedLists(
    after mark: ChangeToken?
  ) throws -> (mark: ChangeToken, changes: ChangedKeys?) {
    try engine.changedLists(after: mark)
  }

  /// Returns the records of lists that were dropped or renamed, oldest first. A name may occur
  /// several times, and may lead to a list again. Records are never deleted.
  ///
  /// - Parameter count: the number of oldest records to leave out.
  public func retiredLists(after count: Int) throws -> [RetiredList] {
    try rows(RowRange(.key(.retiredLists), from: LogValue(count + 1)), read: RetiredList.init)
  }

  /// Returns the newest record of a list that left a name; nil if there is none.
  public func retiredList(_ name: ListName) throws -> RetiredList? {
    try first(Self.retiredList(name), read: RetiredList.init)
  }
}

extension ListReader {
  static func retiredList(_ name: ListName) -> RowRange {
    RowRange(.retiredListsByName, prefix: [.text(name.text)]).descending(limit: 1)
  }
}

extension RetiredList {
  init(_ row: LogRow) throws {
    let (version, newText) = (row.integer(2), row.optionalText(6))
    guard let name = ListName(row.text(1)), version >= 0, let chain = Chain(bytes: row.bytes(3)),
      case let newName = newText.flatMap(ListName.init), (newName == nil) == (newText == nil)
    else { throw LogTable.retiredLists.brokenRules }
    self.init(
      name: name, version: Version(Int(version)), chain: chain,
      leftAt: Timestamp(millisecondsSince1970: row.integer(4)), author: row.optionalText(5),
      newName: newName)
  }

  func values(key: Int64) -> [LogValue] {
    [
      .integer(key), .text(name.text), LogValue(version), .bytes(chain.bytes), LogValue(leftAt),
      LogValue(author), LogValue(newName?.text),
    ]
  }
}
