import ListModel

/// Reads items that follow each other in a JSON text.
enum ItemReader {
  /// Goes from the end of an item to the start of the next; false at the end of the run.
  typealias Advance = @Sendable (inout JSONParser) throws(JSONError) -> Bool

  /// Takes an item.
  typealias Body = (ReadItem) throws(JSONError) -> Void

  case inParts(PartedItemReader)
  case recalling(RecallingItemReader)

  /// Hands out the items from the parser's index on, in their order.
  ///
  /// - Throws: `JSONError`, the first in the text, once the items before it have been handed out;
  ///   what the body throws.
  func forEachItem(
    _ parser: inout JSONParser, _ body: Body, advance: Advance
  ) throws(JSONError) {
    switch self {
    case .inParts(let reader): try reader.forEachItem(&parser, body, advance: advance)
    case .recalling(let reader): try reader.forEachItem(&parser, body, advance: advance)
    }
  }

  /// What is known of an earlier version of the file; nil where there is none.
  var recaller: ItemRecaller? {
    switch self {
    case .inParts: nil
    case .recalling(let reader): reader.recaller
    }
  }
}
