/// Why a gzip file was refused.
public enum GzipError: Error, Equatable, Sendable {
  // While it is read.

  /// Thrown when the bytes are not gzip, or not those that were compressed; `offset` is the number
  /// of compressed bytes before the place, `reason` is zlib's.
  case damaged(offset: Int, reason: String)
  /// Thrown when more comes out than the reader was ready to take.
  case tooLarge(byteLimit: Int)

  // At its end.

  /// Thrown when the file ends inside a member, or is empty; `byteCount` is all that there was.
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
