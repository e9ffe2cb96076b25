/// Why a gzip file was refused.
public enum GzipError: Error, Equatable, Sendable {
  // While it is read.

  /// Thrown when the bytes are not gzip, or damaged; `offset` is the number of compressed bytes
  /// before the place, `reason` is zlib's message.
  case damaged(offset: Int, reason: String)
  /// Thrown when the output is longer than the limit.
  case tooLarge(byteLimit: Int)

  // At its end.

  /// Thrown when the file ends inside a member, or is empty; `byteCount` is its length.
  case cutOff(byteCount: Int)
}

extension GzipError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .damaged(let offset, let reason): "not gzip, or damaged, at byte \(offset): \(reason)"
    case .tooLarge(let byteLimit): "it unpacks to more than \(byteLimit) bytes"
    case .cutOff(let byteCount): "the gzip file was cut off after \(byteCount) bytes"
    }
  }
}
