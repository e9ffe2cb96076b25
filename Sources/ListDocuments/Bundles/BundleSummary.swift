import ListModel

/// The summary of a complete bundle.
public struct BundleSummary: Equatable, Sendable {
  public let header: BundleHeader
  /// The number of lines before the last.
  public let lineCount: Int
  /// SHA-256 of those lines with their ends: 64 lower-case hex digits.
  public let digest: String

  /// The last line without its end; the format fixes every byte of it.
  var line: String { #"{"lines":\#(lineCount),"sha256":"\#(digest)"}"# }
}

/// The kinds of lines in a bundle.
public enum BundleLine: String, Sendable, CustomStringConvertible {
  case header, item, step, end

  public var description: String {
    switch self {
    case .header: "a header"
    case .item: "an item"
    case .step: "a step"
    case .end: "the last line"
    }
  }
}
