import ListModel
import SyncService
import TestSupport

@testable import ListStore

/// A row is believed only with its own values.
extension StoreLaw {
  /// The number of exchanges that are tried in the store, besides one of the data of each table.
  private static let triedCount = 60

  static let exchanging = [
    StoreLaw("values of another row are damage or change no answer, in every table") { law in
      let service = SyncService(store: law.store) { .law(99) }
      try await RowFixture.fill(law.store, service)
      let before = await RowAnswers(of: law.store, service)
      try law.expect(before.refusals.isEmpty, "the sound store refuses \(before.refusals)")
      var random = SeededRandom(seed: law.seed)
      var (first, others): ([RowExchange], [RowExchange]) = ([], [])
      for table in LogTable.allCases {
        let exchanges = RowExchange.all(of: try await rows(law, RowRange(of: table)), in: table)
        try law.expect(!exchanges.isEmpty, "\(table) has no rows to exchange")
        for exchange in exchanges {
          try law.expect(exchange.isNoticed, "\(exchange) is believed")
        }
        let ofAll = exchanges.filter(\.isOfAllValues).shuffled(using: &random)
        first += ofAll.prefix(1)
        others += exchanges
      }
      for exchange in first + others.shuffled(using: &random).prefix(triedCount) {
        try await law.engine.writeRows { try exchange.make(in: $0) }
        let after = await RowAnswers(of: law.store, service)
        let wrong = after.differing(from: before) + after.otherRefusals
        try law.expect(wrong.isEmpty, "\(exchange) makes other answers: \(wrong)")
        let faults = try? await service.verify().faults
        try law.expect(faults?.isEmpty != true, "verify finds nothing after \(exchange)")
        try await law.engine.writeRows { try exchange.undo(in: $0) }
      }
      let undone = await RowAnswers(of: law.store, service)
      try law.expect(undone.differing(from: before).isEmpty, "the exchanges were not undone")
    }
  ]
}

/// Two rows of a table that have exchanged some values.
struct RowExchange: CustomStringConvertible {
  let table: LogTable
  private let old: [StoredRow]
  private let new: [StoredRow]
  private let columns: [Int]

  /// Whether the rows have exchanged everything but their keys.
  var isOfAllValues: Bool { columns.count == table.layout.columns.count - keyCount }
  private var keyCount: Int { table.layout.keyColumnCount }

  var description: String {
    let names = columns.map { table.layout.columns[$0].name }.joined(separator: ", ")
    return "exchange of \(names) between \(old.map { $0.values.prefix(keyCount) }) of \(table)"
  }

  private init?(_ table: LogTable, _ one: StoredRow, _ other: StoredRow, _ columns: [Int]) {
    (self.table, self.columns, old) = (table, columns, [one, other])
    var new = old
    for column in columns {
      new[0].values[column] = other.values[column]
      new[1].values[column] = one.values[column]
    }
    if new == old { return nil }
    self.new = new
  }

  /// Returns all exchanges of one value, of the data, and of all values, between any two rows.
  static func all(of rows: [StoredRow], in table: LogTable) -> [RowExchange] {
    let layout = table.layout
    let values = Array(layout.keyColumnCount..<layout.columns.count)
    var selections = values.map { [$0] } + [values, values.filter { $0 != layout.digestColumn }]
    if let data = layout.dataColumn { selections.append([layout.digestColumn - 1, data]) }
    return rows.indices.flatMap { one in
      rows.indices[(one + 1)...].flatMap { other in
        selections.compactMap { RowExchange(table, rows[one], rows[other], $0) }
      }
    }
  }

  /// Whether the check of rows finds each row that has changed.
  var isNoticed: Bool {
    zip(old, new).allSatisfy { old, new in
      old == new
        || new.withRow(upTo: new.values.count) { row in
          do {
            try table.check(row)
            return false
          } catch {
            return true
          }
        }
    }
  }

  func make(in writer: any EngineWriter) throws { try store(new, writer) }
  func undo(in writer: any EngineWriter) throws { try store(old, writer) }

  private func store(_ rows: [StoredRow], _ writer: any EngineWriter) throws {
    for row in rows {
      try row.withRow(upTo: row.values.count) { try writer.replace($0, in: table) }
    }
  }
}
