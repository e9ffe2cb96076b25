import ListModel

/// Why a snapshot was refused. Nothing of it was taken.
public enum SnapshotError: Error, Equatable, Sendable {
  // When the text is read.

  /// Thrown when there is no byte but white space: a stream that ended early looks like this, so it
  /// is never taken for an empty list.
  case emptyInput
  /// Thrown when the text is not the JSON that it must be.
  case json(JSONError, at: TextPosition)
  /// Thrown when the text is not the CSV that it must be.
  case csv(CSVProblem, at: TextPosition)
  /// Thrown when an item, or the list with it, is larger than a limit allows.
  case limit(ExceededLimit, at: TextPosition)

  // When items are looked for.

  /// Thrown when there is no array where the items should be; `arrays` are the places that have
  /// one.
  case noArray(at: JSONPointer, found: String?, arrays: [JSONPointer])
  /// Thrown when no column has a name that the id rule asks for.
  case noIDColumn(field: String, columns: [String])

  // When ids are read.

  /// Thrown when items have no usable id; `count` may exceed the samples.
  case noID(samples: [MissingID], count: Int)
  /// Thrown when items share an id; `count` is the number of surplus items and may exceed the
  /// samples.
  case duplicateIDs(samples: [DuplicateID], count: Int)

  public enum CSVProblem: Equatable, Sendable {
    case unclosedQuote
    case textAfterQuote
    case notUTF8
    case duplicateColumn(String, first: Int, second: Int)
  }

  public struct MissingID: Equatable, Sendable {
    /// The index of the item in the file, from 0.
    public let index: Int
    public let position: TextPosition
    public let problem: IDRule.Problem
    /// The names of the members that the item has; nil when it is not an object.
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
  /// What a reader of values found in a text.
  init(_ error: JSONError, in bytes: [UInt8]) {
    let position = TextPosition(offset: error.offset, in: bytes)
    if case .limit(let exceeded) = error.problem {
      self = .limit(exceeded, at: position)
    } else {
      self = .json(error, at: position)
    }
  }
}
