/// A place in a text as an editor shows it.
public struct TextPosition: Equatable, Sendable, CustomStringConvertible {
  /// From 1.
  public let line: Int
  /// From 1, in characters (Unicode scalars).
  public let column: Int
  /// From 0, in bytes.
  public let offset: Int

  /// - Complexity: O(offset).
  public init(offset: Int, in bytes: [UInt8]) {
    let before = bytes.prefix(offset)
    line = 1 + before.count { $0 == UInt8(ascii: "\n") }
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    // Bytes that continue a character (10xxxxxx) do not start a column.
    column = 1 + before[lineStart...].count { $0 & 0xC0 != 0x80 }
    self.offset = offset
  }

  public var description: String { "line \(line), column \(column)" }
}
