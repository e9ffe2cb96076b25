/// A list at one version, with the whole chain: what steps can be proved to go on from.
public struct BundleState: Hashable, Sendable {
  /// Version 0 of every list.
  public static let zero = BundleState(version: .zero, count: 0, checksum: .zero, chain: .zero)

  public let version: Version
  public let count: Int
  public let checksum: Checksum
  public let chain: Chain

  public init(version: Version, count: Int, checksum: Checksum, chain: Chain) {
    self.version = version
    self.count = count
    self.checksum = checksum
    self.chain = chain
  }

  public init(_ record: VersionRecord) {
    self.init(
      version: record.version, count: record.count, checksum: record.checksum, chain: record.chain)
  }

  public var cursor: Cursor { Cursor(version: version, chain: chain) }

  public var state: ListState { ListState(cursor: cursor, count: count, checksum: checksum) }
}
