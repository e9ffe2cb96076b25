import ListModel

/// A place in a text as an editor shows it.
public struct TextPosition: Equatable, Sendable, CustomStringConvertible {
  /// From 1; lines end with LF, CRLF or CR.
  public let line: Int
  /// From 1, in Unicode scalars; a byte order mark does not count.
  public let column: Int
  /// From 0, in bytes.
  public let offset: Int

  /// - Complexity: O(offset).
  public init(offset: Int, in bytes: [UInt8]) {
    let before = bytes.prefix(offset)
    let lineEnds = before.indices.lazy.filter { Self.isLineEnd(at: $0, in: bytes) }
    line = 1 + lineEnds.count
    let lineStart = lineEnds.last.map { $0 + 1 } ?? bytes.textStart
    // Bytes that continue a character (10xxxxxx) do not start a column.
    column = 1 + before.dropFirst(lineStart).count { $0 & 0xC0 != 0x80 }
    self.offset = offset
  }

  /// A position in a text that is read line by line.
  ///
  /// - Parameters:
  ///   - offset: the offset in the line, from 0.
  ///   - lineOffset: the offset of the line in the text.
  init(offset: Int, inLine line: [UInt8], number: Int, lineOffset: Int) {
    self.line = number
    let before = line.prefix(offset).dropFirst(line.textStart)
    column = 1 + before.count { $0 & 0xC0 != 0x80 }
    self.offset = lineOffset + offset
  }

  /// Whether a byte is the last of a line; in CRLF it is the LF.
  private static func isLineEnd(at index: Int, in bytes: [UInt8]) -> Bool {
    switch bytes[index] {
    case UInt8(ascii: "\n"): true
    case UInt8(ascii: "\r"): index + 1 == bytes.count || bytes[index + 1] != UInt8(ascii: "\n")
    default: false
    }
  }

  public var description: String { "line \(line), column \(column)" }
}
