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
    default: return ending == "json" ? .json : .csv
    }
  }

  /// Whether a second value follows the first, as in NDJSON.
  private var hasTwoValues: Bool {
    var parser = JSONParser(bytes)
    parser.skipWhitespace()
    guard (try? parser.canonicalValue()) != nil else { return false }
    parser.skipWhitespace()
    return parser.current == UInt8(ascii: "{")
  }

  var separator: UInt8 { ending == "tsv" ? UInt8(ascii: "\t") : UInt8(ascii: ",") }
}
