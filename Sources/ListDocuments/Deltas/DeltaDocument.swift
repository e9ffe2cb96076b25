import ListChanges
import ListModel

/// A delta as it crosses the border: indexes, ids and new contents. What is taken away is named by
/// its id alone; whoever applies the document has the rest.
///
///     {"format":"list-delta/1","kind":"changes","list":"parks",
///      "from":{"cursor":"3-…","version":3,"count":5,"checksum":"…"},
///      "to":{"cursor":"7-…","version":7,"count":5,"checksum":"…"},
///      "oldest":1,"more":false,
///      "removed":[{"id":"acadia","from":2}],
///      "moved":[{"id":"denali","from":4,"to":0}],
///      "inserted":[{"id":"glacier","to":3,"content":{…}}],
///      "updated":[{"id":"yosemite","from":0,"to":1,"content":{…}}]}
///
/// Where two files were compared, `list`, `oldest` and both cursors and versions are absent.
public struct DeltaDocument: Equatable, Sendable {
  public static let format = "list-delta/1"
  static let kind = "changes"

  public let list: ListName?
  public let from: ListState
  public let to: ListState
  /// Nil to leave it out: it may rise while the rest stays what it is.
  public var oldest: Version?
  /// Whether this is a page, and more changes follow `to`.
  public let more: Bool
  public let changes: BareChanges

  /// - Precondition: Every move of the delta has its id.
  public init(_ delta: Delta) {
    list = delta.list
    from = delta.from
    to = delta.to
    oldest = delta.oldest
    more = delta.more
    changes = BareChanges(delta.changes)
  }

  init(
    list: ListName?, from: ListState, to: ListState, oldest: Version?, more: Bool,
    changes: BareChanges
  ) {
    self.list = list
    self.from = from
    self.to = to
    self.oldest = oldest
    self.more = more
    self.changes = changes
  }
}
