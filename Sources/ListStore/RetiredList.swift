import ListModel

/// The record that a list was dropped or renamed, and so left a name.
public struct RetiredList: Hashable, Sendable {
  public let name: ListName
  /// The list's newest version when it left the name; 0 for a list without versions.
  public let version: Version
  /// The chain of that version.
  public let chain: Chain
  public let leftAt: Timestamp
  public let author: String?
  /// The list's new name; nil for a dropped list.
  public let newName: ListName?

  public init(
    name: ListName, version: Version, chain: Chain, leftAt: Timestamp, author: String?,
    newName: ListName?
  ) {
    self.name = name
    self.version = version
    self.chain = chain
    self.leftAt = leftAt
    self.author = author
    self.newName = newName
  }

  /// The list's last cursor under the name.
  public var cursor: Cursor { Cursor(version: version, chain: chain) }
}
