import ListModel
import TestSupport

@testable import ListStore

/// Laws of the tables that an engine offers to the log.
extension StoreLaw {
  static func rows(_ law: LawStore, _ range: RowRange) async throws -> [StoredRow] {
    try await law.engine.readRows { reader in
      var rows: [StoredRow] = []
      try reader.rows(in: range) { row in
        rows.append(StoredRow(row))
        return true
      }
      return rows
    }
  }

  static let engine = [
    StoreLaw("a reading ends when its task is cancelled") { law in
      let head = try await law.append(.law("a")).version
      let reading = Task {
        try await law.store.read { reader in
          let key = try reader.record(of: .law).key
          // So long that a reading that goes on is noticed, also on a busy machine.
          let end = ContinuousClock.now.advanced(by: .seconds(60))
          while ContinuousClock.now < end { _ = try reader.versions(head...head, of: key) }
        }
      }
      try await Task.sleep(for: .milliseconds(50))
      reading.cancel()
      switch await reading.result {
      case .failure(let error):
        try law.expect(error is CancellationError, "\(error) was thrown")
      case .success: try law.expect(false, "the reading went on to its end")
      }
    },
    StoreLaw("a row is read as it was written, in every table, and is inserted once") { law in
      for table in LogTable.allCases {
        let row = table.lawRow(list: 7, number: 5)
        try await law.engine.writeRows { try $0.insert(row, into: table) }
        do {
          try await law.engine.writeRows { try $0.insert(row, into: table) }
          throw LawBroken(description: "a row of \(table) was inserted twice")
        } catch is LawBroken {
          throw LawBroken(description: "a row of \(table) was inserted twice")
        } catch {}
        try law.expect(try await rows(law, RowRange(of: table)) == [row], "another \(table)")
        let other = table.lawRow(list: 7, number: 5, value: 1)
        try await law.engine.writeRows { try $0.replace(other, in: table) }
        try law.expect(try await rows(law, RowRange(of: table)) == [other], "old \(table)")
        try await law.engine.writeRows { try $0.delete(RowRange(of: table)) }
        try law.expect(try await rows(law, RowRange(of: table)).isEmpty, "rows of \(table)")
      }
    },
    StoreLaw("ranges have the order of their keys, their bounds and their limits") { law in
      let (lists, numbers) = ([3, 1, 2], [0, 5, 1, 200, 3, 4_294_967_295])
      for table in [LogTable.idParts, .headParts, .changeSets] {
        try await law.engine.writeRows { writer in
          for list in lists {
            for number in numbers {
              try writer.insert(table.lawRow(list: Int64(list), number: Int64(number)), into: table)
            }
          }
        }
        for (from, through) in [(0, 4), (1, 4_294_967_295), (4, 4), (3, 0), (-1, 5)] {
          for (isDescending, limit) in [(false, nil), (true, nil), (false, 2), (true, 1)] {
            var range = RowRange(
              of: table, in: ListKey(rawValue: 2), from: Int64(from), through: Int64(through))
            (range.isDescending, range.limit) = (isDescending, limit)
            var expected = numbers.filter { $0 >= from && $0 <= through }.sorted()
            if isDescending { expected.reverse() }
            let found = try await rows(law, range).map(\.values)
            let wanted = expected.prefix(limit ?? .max)
            try law.expect(
              found.map { $0[1] } == wanted.map { LogValue($0) }
                && found.allSatisfy { $0[0] == .integer(2) }, "\(range) gave \(found)")
          }
        }
        let all = try await rows(law, RowRange(of: table)).map { Array($0.values.prefix(2)) }
        try law.expect(
          all
            == lists.sorted().flatMap { list in
              numbers.sorted().map { [LogValue(list), LogValue($0)] }
            }, "another order of \(table)")
        try await law.engine.writeRows { writer in
          try writer.delete(RowRange(of: table, in: ListKey(rawValue: 2), from: 1, through: 5))
        }
        let left = try await rows(law, RowRange(of: table, in: ListKey(rawValue: 2)))
        try law.expect(
          left.map { $0.values[1] } == [0, 200, 4_294_967_295].map { .integer($0) },
          "\(left)")
        try law.expect(
          try await rows(law, RowRange(of: table)).count == 15, "rows of other lists are gone")
      }
    },
    StoreLaw("rows are found by their keys in any order, and only those that are there") { law in
      let numbers = (1...300).map { Int64($0 * $0 % 5003) }
      for table in [LogTable.idParts, .headParts] {
        try await law.engine.writeRows { writer in
          for number in Set(numbers) {
            try writer.insert(table.lawRow(list: 2, number: number), into: table)
          }
        }
        let keys =
          (0...5003).map { RowKey(list: $0 % 7 == 0 ? 1 : 2, number: Int64($0)) }
          .reversed() + [RowKey(list: 2, number: numbers[0])]
        let found = try await law.engine.readRows { reader in
          var found: [Int: StoredRow] = [:]
          try reader.rows(of: table, Array(keys), includesData: true) { position, row in
            found[position] = StoredRow(row)
          }
          return found
        }
        for (position, key) in keys.enumerated() {
          let isThere = key.list == 2 && numbers.contains(key.number)
          try law.expect(
            found[position] == (isThere ? table.lawRow(list: 2, number: key.number) : nil),
            "\(key) of \(table)")
        }
      }
    },
  ]
}

extension LawStore {
  var engine: any Engine {
    get throws {
      guard let engine = store as? any Engine else {
        throw LawBroken(description: "the store is no engine")
      }
      return engine
    }
  }
}

extension EngineWriter {
  fileprivate func insert(_ row: StoredRow, into table: LogTable) throws {
    try row.withRow(upTo: row.values.count) { try insert($0, into: table) }
  }

  fileprivate func replace(_ row: StoredRow, in table: LogTable) throws {
    try row.withRow(upTo: row.values.count) { try replace($0, in: table) }
  }
}

extension LogTable {
  /// A row with a key, and other values that every engine accepts.
  ///
  /// - Parameter value: of the columns that are no key.
  fileprivate func lawRow(list: Int64, number: Int64, value: Int64 = 2) -> StoredRow {
    let layout = layout
    var values: [LogValue] = []
    for (position, column) in layout.columns.enumerated() {
      switch (column.kind, column.name) {
      case (.integer, _) where position == 0: values.append(.integer(list))
      case (.integer, _) where position < layout.keyColumnCount: values.append(.integer(number))
      case (.integer, _) where column.isOptional: values.append(.null)
      // Either 0 or 1.
      case (.integer, "keeps_plain"): values.append(.integer(value & 1))
      case (.integer, _): values.append(.integer(value))
      case (.bytes, _): values.append(.bytes(Array(repeating: UInt8(value), count: 32)))
      case (.text, _) where position < layout.keyColumnCount: values.append(.text("n\u{0}é"))
      case (.text, _): values.append(.text("t\u{0}\(value)"))
      }
    }
    return StoredRow(values)
  }
}
