import ListModel

/// What a bundle is when it is whole.
public struct BundleSummary: Equatable, Sendable {
  public let header: BundleHeader
  /// The number of lines before the last.
  public let lineCount: Int
  /// SHA-256 of those lines, their ends included: 64 lower-case hex digits.
  public let digest: String
}

/// What a line of a bundle can be.
public enum BundleLine: String, Sendable {
  case header, item, step, end
}

extension BundleLine: CustomStringConvertible {
  public var description: String {
    switch self {
    case .header: "a header"
    case .item: "an item"
    case .step: "a step"
    case .end: "the last line"
    }
  }
}
