import ListChanges
import ListModel

/// Why a bundle was refused. Lines are counted from 1.
public enum BundleError: Error, Equatable, Sendable {
  // When bytes become lines.

  /// Thrown when a line is longer than the reader takes, or the writer may write.
  case lineTooLong(line: Int, byteLimit: Int)
  /// Thrown when the bytes end before the last line does.
  case cutOff(line: Int, expected: BundleLine)
  /// Thrown when bytes follow the last line.
  case trailingBytes(line: Int)

  // When a line is read.

  /// Thrown when a line is not JSON.
  case json(JSONError, at: TextPosition)
  /// Thrown when a line is not what the bundle must go on with.
  case wrongLine(line: Int, expected: BundleLine, found: BundleLine)
  /// Thrown when a member is missing or is not what the format says.
  case malformed(line: Int, at: JSONPointer, expected: String)
  /// Thrown when a list, an item or an id is larger than a limit allows.
  case limit(ExceededLimit, line: Int, at: JSONPointer)

  // When a line is joined to those before it.

  /// Thrown when a step leads to another version than the next.
  case wrongVersion(line: Int, expected: Version, found: Version)
  /// Thrown when the changes of a step cannot lead from so many items to so many.
  case changes(ListChangesError<ItemID>, line: Int)
  /// Thrown at the last item when the items are not those of the base.
  case wrongItems(line: Int, expected: Checksum, found: Checksum)
  /// Thrown when a step does not have the chain that follows from it and from the chain before.
  case brokenChain(line: Int, version: Version)
  /// Thrown when the list does not end in the state that the header promises.
  case wrongTarget(line: Int, version: Version)

  // When the list is replayed.

  /// Thrown when an item stands in the list twice.
  case duplicateItem(ItemID, line: Int)
  /// Thrown when the list does not have the checksum that a step says.
  case wrongChecksum(line: Int, version: Version)
  /// Thrown when a step is not the one change set that leads where it does.
  case notCanonical(line: Int, version: Version)
  /// Thrown when the items of version 1 come without the step that led to them.
  case baseIsFirst

  // At the last line.

  /// Thrown when there are not as many lines as it says.
  case wrongLineCount(line: Int, stated: Int, found: Int)
  /// Thrown when the lines are not those that were written: something changed them.
  case wrongDigest(line: Int, stated: String, found: String)
}

extension BundleError {
  /// The limit at fault; nil where none is.
  public var exceeded: ExceededLimit? {
    switch self {
    case .limit(let exceeded, _, _): exceeded
    case .lineTooLong(_, let byteLimit): ExceededLimit(.lineBytes, bound: byteLimit)
    case .json(let error, _): if case .limit(let exceeded) = error.problem { exceeded } else { nil }
    default: nil
    }
  }
}

extension BundleError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .lineTooLong(let line, let byteLimit): "line \(line) is longer than \(byteLimit) bytes"
    case .cutOff(let line, let expected):
      "it was cut off in line \(line), where \(expected) is expected"
    case .trailingBytes(let line): "line \(line) follows the last line"
    case .json(let error, let position): "\(position): \(error.asReason)"
    case .wrongLine(let line, let expected, let found):
      "line \(line) is \(found), where \(expected) is expected"
    case .malformed(let line, let place, let expected):
      place.tokens.isEmpty
        ? "line \(line) is not \(expected)" : "line \(line): \(place) is not \(expected)"
    case .limit(let exceeded, let line, let place):
      place.tokens.isEmpty ? "line \(line): \(exceeded)" : "line \(line): \(place): \(exceeded)"
    case .wrongVersion(let line, let expected, let found):
      "line \(line) is the step to version \(found), where that to \(expected) is expected"
    case .changes(let error, let line): "line \(line): \(error)"
    case .wrongItems(let line, let expected, let found):
      """
      line \(line) ends items with the checksum \(found), where the header promises \(expected)
      """
    case .brokenChain(let line, let version):
      "line \(line): version \(version) does not have the chain that follows from it"
    case .wrongTarget(let line, let version):
      "line \(line): version \(version) is not in the state that the header promises"
    case .duplicateItem(let id, let line): "line \(line): the item '\(id)' is in the list already"
    case .wrongChecksum(let line, let version):
      "line \(line): version \(version) does not have the checksum that its step leads to"
    case .notCanonical(let line, let version):
      "line \(line): the step to version \(version) is not the canonical one"
    case .baseIsFirst: "line 1: /base is version 1, whose own step leads to it"
    case .wrongLineCount(let line, let stated, let found):
      "line \(line) counts \(stated) lines before it; there are \(found)"
    case .wrongDigest(let line, let stated, let found):
      "the lines before line \(line) were changed: their SHA-256 is \(found), not \(stated)"
    }
  }
}
