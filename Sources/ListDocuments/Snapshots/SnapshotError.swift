import ListModel

/// The errors of reading a snapshot.
public enum SnapshotError: Error, Equatable, Sendable {
  // When the text is read.

  /// Thrown when the input has only white space. It is not an empty list, because a stream that
  /// ended early has the same content.
  case emptyInput
  /// Thrown when the input is a gzip file.
  case gzip
  /// Thrown when the input begins with the mark of UTF-16.
  case utf16
  /// Thrown when the text is not valid JSON.
  case json(JSONError, at: TextPosition)
  /// Thrown when the text is not valid CSV.
  case csv(CSVFailure, at: TextPosition)
  /// Thrown when an item, or the list with it, is larger than a limit allows.
  case limit(ExceededLimit, at: TextPosition)

  // When items are searched.

  /// Thrown when the place of the items has no array; `arrays` are the places with one.
  case noArray(at: JSONPointer, found: String?, arrays: [JSONPointer])
  /// Thrown when no column has a name of the id rule.
  case noIDColumn(field: String, columns: [String])

  // When ids are read.

  /// Thrown when items have no usable id; `count` is possibly more than the samples.
  case noID(samples: [MissingID], count: Int)
  /// Thrown when items share an id; `count` is the number of surplus items, possibly more than the
  /// samples.
  case duplicateIDs(samples: [DuplicateID], count: Int)
  /// Thrown when some items have no usable id, and others share one; holds both errors.
  indirect case missingAndDuplicateIDs(SnapshotError, SnapshotError)

  public enum CSVFailure: Equatable, Sendable {
    case unclosedQuote
    case textAfterQuote
    case notUTF8
    /// The text ends inside a row that has fewer cells than the header.
    case cutRow(Int, of: Int)
    /// Only if ragged rows are refused.
    case raggedRow(Int, of: Int)
    case duplicateColumn(String, first: Int, second: Int)
  }

  public struct MissingID: Equatable, Sendable {
    /// The index of the item in the file, from 0.
    public let index: Int
    public let position: TextPosition
    public let failure: IDRule.Failure
    /// The names of the item's members; nil when it is not an object.
    public let members: [String]?
  }

  public struct DuplicateID: Equatable, Sendable {
    public let id: ItemID
    public let first: Int
    public let firstPosition: TextPosition
    public let second: Int
    public let secondPosition: TextPosition
  }
}

extension SnapshotError {
  /// Converts an error of the JSON parser.
  init(_ error: JSONError, in bytes: [UInt8]) {
    let position = TextPosition(offset: error.offset, in: bytes)
    if let limit = error.exceeded {
      self = .limit(limit, at: position)
    } else {
      self = .json(error, at: position)
    }
  }
}
