import ListModel

/// Says what is wrong, for people. A program adds the name of the input, and what to do about it.
extension SnapshotError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .emptyInput: "is empty"
    case .gzip: "is compressed with gzip"
    case .utf16: "is UTF-16, not UTF-8"
    case .json(let error, _): error.asReason.shortened
    case .limit(let exceeded, _): "\(exceeded)"
    case .csv(.notUTF8, let position): "not UTF-8 at byte \(position.offset)"
    case .csv(let failure, _): "\(failure)"
    case .noArray(let pointer, let found, _):
      if let found {
        """
        \(pointer.tokens.isEmpty ? "the document" : "\(pointer)") is of kind \(found), not an \
        array
        """
      } else {
        "there is no \(pointer)"
      }
    case .noIDColumn(let field, let columns):
      "there is no column '\(field.shortened)'; there are: \(Self.some(of: columns) { "'\($0)'" })"
    case .noID(_, let count): count == 1 ? "1 item has no id" : "\(count) items have no id"
    case .duplicateIDs(_, let count):
      count == 1 ? "1 item repeats an id" : "\(count) items repeat an id"
    case .missingAndDuplicateIDs(let missing, let repeated): "\(missing), and \(repeated)"
    }
  }

  /// The faults of single items.
  public var samples: [String] {
    switch self {
    case .noID(let samples, let count):
      samples.map { "item \($0.index + 1) (\($0.position)): \($0.failure)" }
        + Self.more(count, samples.count)
    case .duplicateIDs(let samples, let count):
      samples.map { sample in
        """
        '\(sample.id.text.shortened)': item \(sample.first + 1) (\(sample.firstPosition)) and item \
        \(sample.second + 1) (\(sample.secondPosition))
        """
      } + Self.more(count, samples.count)
    default: []
    }
  }

  /// The positions of the errors in the input; empty for an error of the whole input.
  public var positions: [TextPosition] {
    switch self {
    case .json(_, let position), .limit(_, let position), .csv(_, let position): [position]
    case .noID(let samples, _): samples.map(\.position)
    case .duplicateIDs(let samples, _): samples.map(\.secondPosition)
    case .missingAndDuplicateIDs(let missing, let repeated):
      missing.positions + repeated.positions
    case .emptyInput, .gzip, .utf16, .noArray, .noIDColumn: []
    }
  }

  /// At most 20 names, and how many more there are.
  package static func some(
    of names: [String], _ quote: (String) -> String = { $0 }
  ) -> String {
    let shown = names.prefix(20).map { quote($0.shortened) }.joined(separator: ", ")
    return names.count > 20 ? "\(shown) and \(names.count - 20) more" : shown
  }

  private static func more(_ count: Int, _ shown: Int) -> [String] {
    count > shown ? ["and \(count - shown) more"] : []
  }
}

extension SnapshotError.CSVFailure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unclosedQuote: "the quote that opens here is never closed"
    case .textAfterQuote: "text after a closing quote; write a quote inside a cell twice"
    case .notUTF8: "not UTF-8"
    case .cutRow(let count, let columnCount):
      """
      the file seems cut: its last row has \(count) of \(columnCount) cells, and no line end
      """
    case .raggedRow(let count, let columnCount):
      "the row has \(count) cells, and the header \(columnCount)"
    case .duplicateColumn(let name, let first, let second):
      "columns \(first + 1) and \(second + 1) have the same name, '\(name.shortened)'"
    }
  }
}

extension IDRule.Failure: CustomStringConvertible {
  /// The field of the rule that an item does not fulfil, as the rule writes it.
  public var field: String {
    switch self {
    case .missing(let field), .unsuitable(let field, _), .empty(let field),
      .holdsSeparator(let field):
      field
    }
  }

  public var description: String {
    switch self {
    case .missing(let field): "no '\(field)'"
    case .unsuitable(let field, let kind): "'\(field)' is of kind \(kind), not a string or number"
    case .empty(let field): "'\(field)' is empty"
    case .holdsSeparator(let field):
      "'\(field)' contains U+001F, which separates the fields of an id"
    }
  }
}
