import ListModel

/// A list at a version, written `LIST` or `LIST@REV`.
public struct ListRevision: Equatable, Sendable {
  public let list: ListName
  public let revision: Revision

  public init(_ list: ListName, _ revision: Revision = .head) {
    (self.list, self.revision) = (list, revision)
  }

  /// Nil when the text is neither `LIST` nor `LIST@REV`.
  public init?(_ text: String) {
    let words = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    guard let list = ListName(String(words[0])),
      let revision = words.count == 2 ? Revision(String(words[1])) : .head
    else { return nil }
    self.init(list, revision)
  }
}
