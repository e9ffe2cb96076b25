import ListChanges
import ListModel

/// The errors of reading, writing and replaying bundles. Lines are counted from 1.
public enum BundleError: Error, Equatable, Sendable {
  // When bytes become lines.

  /// Thrown when a line is longer than the limit of the reader or the writer.
  case lineTooLong(line: Int, byteLimit: Int)
  /// Thrown when the bytes end before the last line does.
  case cutOff(line: Int, expected: BundleLine)
  /// Thrown when bytes follow the last line.
  case trailingBytes(line: Int)

  // When a line is read.

  /// Thrown when a line is not JSON.
  case json(JSONError, at: TextPosition)
  /// Thrown when a development version wrote the bundle, before the first release.
  case unreleased
  /// Thrown when a line is not of the kind that must come next.
  case wrongLine(line: Int, expected: BundleLine, found: BundleLine)
  /// Thrown when a member is missing or is not of the format.
  case malformed(line: Int, at: JSONPointer, expected: String)
  /// Thrown when a list, an item or an id is larger than a limit allows.
  case limit(ExceededLimit, line: Int, at: JSONPointer)

  // When a line is compared with those before it.

  /// Thrown when a step does not lead to the next version.
  case wrongVersion(line: Int, expected: Version, found: Version)
  /// Thrown when the changes of a step are invalid.
  case changes(ListChangesError<ItemID>, line: Int)
  /// Thrown at the last item when the items do not have the base's root.
  case wrongItems(line: Int, expected: Root, found: Root)
  /// Thrown when a step's cursor does not follow from it and the previous chain.
  case brokenChain(line: Int, version: Version)
  /// Thrown when the last state is not the target of the header.
  case wrongTarget(line: Int, version: Version)

  // When the list is replayed.

  /// Thrown when an item occurs twice in the list.
  case duplicateItem(ItemID, line: Int)
  /// Thrown when the list does not have the root of a step.
  case wrongRoot(line: Int, version: Version)
  /// Thrown when a step is not the canonical change set.
  case notCanonical(line: Int, version: Version)
  /// Thrown when the base is version 1, whose step must be present.
  case baseIsFirst

  // At the last line.

  /// Thrown when the number of lines is not the stated one.
  case wrongLineCount(line: Int, stated: Int, found: Int)
  /// Thrown when the lines were changed after they were written.
  case wrongDigest(line: Int, stated: String, found: String)
}

extension BundleError {
  /// The limit at fault; nil where none is.
  public var exceeded: ExceededLimit? {
    switch self {
    case .limit(let exceeded, _, _): exceeded
    case .lineTooLong(_, let byteLimit): ExceededLimit(.lineBytes, bound: byteLimit)
    case .json(let error, _): error.exceeded
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
    case .unreleased: "a development version of listsync wrote it, before the first release"
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
      "line \(line) ends items with the root \(found), where the header promises \(expected)"
    case .brokenChain(let line, let version):
      "line \(line): version \(version) does not have the cursor that follows from it"
    case .wrongTarget(let line, let version):
      "line \(line): version \(version) is not in the state that the header promises"
    case .duplicateItem(let id, let line): "line \(line): the item '\(id)' is in the list already"
    case .wrongRoot(let line, let version):
      "line \(line): version \(version) does not have the root that its step leads to"
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
