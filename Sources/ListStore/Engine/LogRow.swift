/// A value of a row, with a pointer to its bytes, which are not copied.
public enum LogCell {
  case null
  case integer(Int64)
  /// The bytes of a text or of data.
  case bytes(UnsafeRawBufferPointer)
}

/// The values of a row, in the order of the table's columns. They are valid only while the closure
/// runs that received the row.
public struct LogRow {
  public let cells: UnsafeBufferPointer<LogCell>

  public init(_ cells: UnsafeBufferPointer<LogCell>) { self.cells = cells }

  public func isNull(_ column: Int) -> Bool {
    if case .null = cells[column] { true } else { false }
  }

  /// Returns the integer in a column; 0 if the value is not an integer.
  public func integer(_ column: Int) -> Int64 {
    if case .integer(let number) = cells[column] { number } else { 0 }
  }

  public func optionalInteger(_ column: Int) -> Int64? {
    if case .integer(let number) = cells[column] { number } else { nil }
  }

  /// Returns a copy of the bytes in a column; empty if the value has no bytes.
  public func bytes(_ column: Int) -> [UInt8] {
    if case .bytes(let bytes) = cells[column] { Array(bytes) } else { [] }
  }

  /// Returns the number of bytes in a column; 0 if the value has no bytes.
  func byteCount(_ column: Int) -> Int {
    if case .bytes(let bytes) = cells[column] { bytes.count } else { 0 }
  }

  /// The number of bytes in all columns.
  package var byteCount: Int { cells.indices.reduce(0) { $0 + byteCount($1) } }

  public func optionalText(_ column: Int) -> String? {
    guard case .bytes(let bytes) = cells[column] else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  public func text(_ column: Int) -> String { optionalText(column) ?? "" }

  /// The cost of reading the row: see ``ReadingLimit``. Data is in the last column.
  var cost: Int {
    if case .bytes(let data)? = cells.last { 1 + data.count >> 6 } else { 1 }
  }

  /// A copy of the data of a row that was read with its data.
  var data: [UInt8] { bytes(cells.count - 1) }
}

/// A value of a row or of a key.
public enum LogValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case bytes([UInt8])

  static func text(_ text: String) -> LogValue { .bytes(Array(text.utf8)) }

  init(_ number: Int) { self = .integer(Int64(number)) }
  init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }
  init(_ text: String?) { self = text.map { .text($0) } ?? .null }
}

/// The order of a table: numbers by their size, bytes as bytes. All values in a column of a key
/// have one type.
extension LogValue: Comparable {
  public static func < (a: LogValue, b: LogValue) -> Bool {
    switch (a, b) {
    case (.integer(let a), .integer(let b)): a < b
    case (.bytes(let a), .bytes(let b)): a.lexicographicallyPrecedes(b)
    case (.null, .null), (.integer, .null), (.bytes, .null), (.bytes, .integer): false
    case (.null, _), (.integer, .bytes): true
    }
  }
}

/// A row with copies of its values.
public struct StoredRow: Equatable, Sendable {
  public var values: [LogValue]

  public init(_ values: [LogValue]) { self.values = values }

  public init(_ row: LogRow) {
    values = row.cells.map { cell in
      switch cell {
      case .null: .null
      case .integer(let number): .integer(number)
      case .bytes(let bytes): .bytes(Array(bytes))
      }
    }
  }

  /// Passes the values to a body as a row.
  ///
  /// - Parameters:
  ///   - columnCount: the number of values that the row has.
  ///   - body: receives the row.
  public func withRow<Result>(
    upTo columnCount: Int, _ body: (LogRow) throws -> Result
  ) rethrows -> Result {
    let values = values.prefix(columnCount)
    // One buffer, since each pointer must stay valid during the call.
    var all: [UInt8] = []
    for case .bytes(let bytes) in values { all += bytes }
    return try all.withUnsafeBytes { buffer in
      var start = 0
      let cells = values.map { value -> LogCell in
        switch value {
        case .null: return .null
        case .integer(let number): return .integer(number)
        case .bytes(let bytes):
          defer { start += bytes.count }
          return .bytes(UnsafeRawBufferPointer(rebasing: buffer[start..<start + bytes.count]))
        }
      }
      return try cells.withUnsafeBufferPointer { try body(LogRow($0)) }
    }
  }
}
