/// A value to bind, text and blob as bytes with their length.
///
/// GRDB binds a text up to its first U+0000 and reads it so; these values are kept whole.
package enum RawValue {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])

  package init(_ number: Int) { self = .integer(Int64(number)) }
  package init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }
  package init(_ text: String?) { self = text.map { .text($0) } ?? .null }
}

extension RawStatement {
  /// Binds values to the places from 1 on.
  package func bind(_ values: [RawValue]) {
    for (place, value) in zip(Int32(1)..., values) {
      switch value {
      case .null: bind(nil as Int64?, at: place)
      case .integer(let number): bind(number, at: place)
      case .text(let text): bind(text: text.utf8, at: place)
      case .blob(let bytes): bind(blob: bytes, at: place)
      }
    }
  }

  /// Runs a statement that gives no rows.
  package func run(_ values: RawValue...) throws {
    bind(values)
    try run()
  }
}
