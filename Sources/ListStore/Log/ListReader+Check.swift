import ListModel

/// Structural rules for rows; replay checks their meaning.
extension ListReader {
  /// Returns the findings of the engine's own check, such as broken trees and wrong indexes; empty
  /// if there are none.
  public func integrityFaults() throws -> [String] { try engine.integrityFaults() }

  /// Whether all readings of this transaction see one state of the store. In a store on several
  /// machines, a list may be created, dropped or moved between two readings, and then look damaged.
  public var seesOneState: Bool { engine.seesOneState }

  /// Returns the text of an error that a reading has thrown; it may be an error type of the engine.
  ///
  /// - Throws: the error if it says nothing about the stored data, such as the loss of a
  ///   connection, or the end of the task.
  public func reason(ofReading error: any Error) throws -> String {
    if case StoreError.corrupt(let reason) = error { return reason }
    if error is CancellationError || error is ReadingLimit.Exceeded { throw error }
    return try engine.reason(ofReading: error)
  }

  /// Returns the numbers of bytes and rows of a list, or of the whole store if the list is nil.
  ///
  /// - Complexity: reads every page.
  public func size(of list: ListRecord?) throws -> StoreSize {
    try storePending()
    var size = try engine.size(of: list?.key.rawValue)
    for list in try list.map({ [$0] }) ?? lists(.all) {
      guard list.firstStep <= list.head else { continue }
      size.changeCount += try changeCount(list.firstStep...list.head, of: list.key)
    }
    return size
  }

  /// Returns the faults of rows of a list that break a structural rule.
  ///
  /// - Complexity: O(c) rows read for all c changes of the list.
  public func rowFaults(of list: ListRecord) throws -> [RowFault] {
    try storePending()
    var check = try ListCheck(list, row(of: list.key))
    for table in [LogTable.versions] + LogTable.ofLists.filter({ $0 != .versions }) {
      try engine.rows(in: RowRange(of: table, in: list.key)) { row in
        do {
          try table.check(row)
          check.add(row, of: table)
        } catch StoreError.corrupt(let reason) {
          check.report(check.version(of: row, in: table), reason)
        }
        return true
      }
    }
    do {
      if let fault = try segmentFault(of: list.key) { check.report(nil, fault) }
    } catch StoreError.corrupt(let reason) {
      check.report(nil, reason)
    }
    return check.finished()
  }

  /// Returns the faults outside of lists: rows that belong to a missing list, and rows of the
  /// directory, of retired lists and of tokens that are damaged or break their rules.
  public func strayRowFaults() throws -> [String] {
    try storePending()
    let (lists, tableFaults) = try directoryFaults()
    return try tableFaults
      + LogTable.ofLists.flatMap { table in
        try engine.lists(in: table).subtracting(lists).sorted().map {
          "rows of \(table.layout.name) belong to a missing list, number \($0)"
        }
      }
  }

  /// Returns the lists that have a name or get one, and the faults of the tables whose rows belong
  /// to no list.
  private func directoryFaults() throws -> (lists: Set<Int64>, faults: [String]) {
    var faults: [String] = []
    func check(_ table: LogTable, _ read: (LogRow) throws -> Void) throws {
      var found: Set<String> = []
      try engine.rows(in: RowRange(of: table)) { row in
        do {
          try table.check(row)
          try read(row)
        } catch StoreError.corrupt(let reason) {
          if found.insert(reason).inserted { faults.append(reason) }
        }
        return true
      }
    }
    var names: [Int64: String] = [:]
    var lists: Set<Int64> = []
    try check(.lists) { row in
      let list = try ListRow(row)
      guard let name = list.name else { return }
      if !list.isUnfinished { names[list.key.rawValue] = name.text }
      lists.insert(list.key.rawValue)
    }
    try check(.names) { row in
      guard names.removeValue(forKey: row.integer(1)) == row.text(0) else {
        throw LogTable.names.brokenRules
      }
    }
    if !names.isEmpty { faults.append("the directory lacks the name of a list") }
    try check(.retiredLists) { _ = try RetiredList($0) }
    var inForce: Set<TokenName> = []
    try check(.tokens) { row in
      let token = try TokenRecord(row)
      if token.isInForce, !inForce.insert(token.name).inserted {
        throw LogTable.tokens.brokenRules
      }
    }
    return (lists, faults)
  }
}

/// The check of the rows of one list. They are added table by table, in the order of their keys,
/// beginning with `versions`.
private struct ListCheck {
  var faults: [RowFault] = []
  private let list: ListRecord
  private let row: ListRow
  private var starts: [(version: Version, firstChange: Int64)] = []
  private var oldestChain: Chain?
  private var parts: [Int64: (count: Int64, highest: Int64)] = [:]
  private var reported: Set<String> = []

  init(_ list: ListRecord, _ row: ListRow) {
    (self.list, self.row) = (list, row)
    if list.oldest > max(list.head, Version(1)) {
      report(nil, "its oldest version is after its newest")
    }
  }

  /// Adds a fault, unless the same reason was reported before.
  ///
  /// - Parameter isRepeated: whether the same reason is reported again.
  mutating func report(_ version: Int64?, _ reason: String, isRepeated: Bool = false) {
    guard reported.insert(reason).inserted || isRepeated else { return }
    let versions = 0...Int64(Version.highest.number)
    faults.append((version.flatMap { versions.contains($0) ? Version(Int($0)) : nil }, reason))
  }

  /// Returns the version that a row belongs to; nil for a row that belongs to none or to many.
  func version(of row: LogRow, in table: LogTable) -> Int64? {
    switch table {
    case .versions, .checkpoints: row.integer(1)
    case .segments: version(ofChange: row.integer(1))
    case .changeSets: max(row.integer(1), row.integer(2))
    case .tags: row.integer(2)
    default: nil
    }
  }

  private func version(ofChange number: Int64) -> Int64? {
    starts.last { $0.firstChange <= number }.map { Int64($0.version.number) }
  }

  private func has(_ version: Int64) -> Bool {
    version >= list.oldest.number && version <= list.head.number
  }

  mutating func add(_ row: LogRow, of table: LogTable) {
    switch table {
    case .versions: addVersion(row)
    case .checkpoints:
      let (version, part) = (row.integer(1), row.integer(2))
      let before = parts[version] ?? (0, 0)
      parts[version] = (before.count + 1, max(before.highest, part))
      let start = starts.first { $0.version.number == version + 1 }?.firstChange
      let nextChange = version == list.head.number ? self.row.nextChange : start
      if let nextChange, nextChange != row.integer(3) {
        report(version, "its checkpoint names another change that follows it")
      }
      if !has(version) {
        report(version, "there is a checkpoint of it, though the list does not have it")
      }
    case .tags:
      let version = row.integer(2)
      if version != 0, !has(version) {
        report(
          version, "a tag names it, though the list does not have it: \(row.text(1))",
          isRepeated: true)
      }
    case .changeSets:
      let (from, to) = (row.integer(1), row.integer(2))
      if max(from, to) > list.head.number || min(from, to) < 0 {
        report(
          max(from, to), "kept changes lead to or from it, though the list never had it",
          isRepeated: true)
      }
      if let bytes = try? ListReader.keptBytes(of: row), bytes.count != Int(row.integer(3)) {
        report(max(from, to), "kept changes are not of the length on record", isRepeated: true)
      }
    case .prunes:
      let (new, old) = (row.integer(1), row.integer(2))
      if new > list.oldest.number || old >= new {
        report(nil, "versions that it still has are on record as pruned")
      }
      if new == list.oldest.number, let oldestChain, oldestChain.bytes != row.bytes(6) {
        report(
          new, "its chain is not the one on record from when those before it were pruned")
      }
    default: break
    }
  }

  private mutating func addVersion(_ row: LogRow) {
    let version = row.integer(1)
    guard version >= 0, has(version) else {
      return report(version, "it is not among the versions that the list says it has")
    }
    starts.append((Version(Int(version)), row.integer(2)))
    if version == list.oldest.number { oldestChain = Chain(bytes: row.bytes(12)) }
  }

  func finished() -> [RowFault] {
    var check = self
    for (version, part) in parts.sorted(by: { $0.key < $1.key })
    where part.highest != part.count - 1 {
      check.report(version, "its checkpoint lacks a row", isRepeated: true)
    }
    return check.faults
  }
}
