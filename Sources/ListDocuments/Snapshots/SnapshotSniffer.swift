import ListModel

/// Determines the format of a snapshot by its file's ending, else by its first bytes.
struct SnapshotSniffer {
  let bytes: [UInt8]
  let fileName: String?

  private static func isWhitespace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// The first byte of the text that is not white space; nil when there is none.
  var firstByte: UInt8? {
    bytes[bytes.textStart...].first { !Self.isWhitespace($0) }
  }

  /// Whether the bytes begin like a gzip file (RFC 1952, 2.3.1); no text in UTF-8 does.
  var isGzip: Bool { bytes.starts(with: [0x1F, 0x8B]) }

  /// Whether the bytes begin with the mark of UTF-16, in either order of bytes.
  var isUTF16: Bool { bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) }

  private var ending: String? {
    guard let fileName, let dot = fileName.lastIndex(of: ".") else { return nil }
    return fileName[fileName.index(after: dot)...].lowercased()
  }

  func format(hasItemsPointer: Bool) -> SnapshotOptions.Format {
    switch ending {
    case "csv", "tsv": .csv
    case "ndjson", "jsonl": .ndjson
    default: formatByContent(hasItemsPointer: hasItemsPointer)
    }
  }

  private func formatByContent(hasItemsPointer: Bool) -> SnapshotOptions.Format {
    switch firstByte {
    case UInt8(ascii: "["): return .json
    case UInt8(ascii: "{"): return !hasItemsPointer && hasTwoValues ? .ndjson : .json
    default: return ending == "json" || isLiteral ? .json : .csv
    }
  }

  /// Whether the whole text is a literal of JSON, which no one means as the header of a table.
  private var isLiteral: Bool {
    let text = bytes[bytes.textStart...].prefix(64).split(whereSeparator: Self.isWhitespace)
    return bytes.count <= 64 && text.count == 1
      && ["null", "true", "false"].contains { text[0].elementsEqual($0.utf8) }
  }

  /// Whether a second value follows the first, as in NDJSON.
  private var hasTwoValues: Bool {
    var parser = JSONParser(bytes)
    parser.skipWhitespace()
    guard (try? parser.canonicalValue()) != nil else { return false }
    parser.skipWhitespace()
    return parser.current == UInt8(ascii: "{")
  }

  var separator: UInt8 {
    SeparatorLine(bytes)?.separator
      ?? (ending == "tsv" ? UInt8(ascii: "\t") : UInt8(ascii: ","))
  }
}
