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

  // When a line is read, and when its step is applied to the list.

  /// Thrown when a line is not of the format, when the items do not have the base's root, and when
  /// a step does not fit the list.
  case document(DeltaError, line: Int)

  // When a line is compared with those before it.

  /// Thrown when the writer is given another line than the one that must come next.
  case wrongLine(line: Int, expected: BundleLine)
  /// Thrown when a step does not start from the state before it, or does not lead to the version
  /// that follows from it.
  case brokenChain(line: Int, after: Version)
  /// Thrown when the last state is not the target of the header.
  case wrongTarget(line: Int, version: Version)
  /// Thrown when a step is not the canonical change set.
  case notCanonical(line: Int, version: Version)

  // At the last line.

  /// Thrown when the last line is not the one that follows from the bytes before it.
  case wrongEnd(line: Int, expected: String)
}

extension BundleError {
  /// The limit at fault; nil where none is.
  public var exceeded: ExceededLimit? {
    switch self {
    case .lineTooLong(_, let byteLimit): ExceededLimit(.lineBytes, bound: byteLimit)
    case .document(let error, _): error.exceeded
    default: nil
    }
  }

  /// An error about a member of a line.
  static func malformed(line: Int, at path: [String], expected: String) -> BundleError {
    .document(.malformed(at: JSONPointer(tokens: path), expected: expected), line: line)
  }
}

extension BundleError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .lineTooLong(let line, let byteLimit): "line \(line) is longer than \(byteLimit) bytes"
    case .cutOff(let line, let expected):
      "it was cut off in line \(line), where \(expected) is expected"
    case .trailingBytes(let line): "line \(line) follows the last line"
    // Its position has the line.
    case .document(.json(let error, let position), _): "\(DeltaError.json(error, at: position))"
    case .document(let error, let line): "line \(line): \(error)"
    case .wrongLine(let line, let expected): "line \(line) must be \(expected)"
    case .brokenChain(let line, let version): "line \(line) does not continue version \(version)"
    case .wrongTarget(let line, let version):
      "line \(line): version \(version) is not in the state that the header promises"
    case .notCanonical(let line, let version):
      "line \(line): the step to version \(version) is not the canonical one"
    case .wrongEnd(let line, let expected):
      "the lines before line \(line) were changed, or it is not exactly \(expected)"
    }
  }
}
