import ListModel

/// The choice of the lists that a reading returns.
public enum ListSelection: Sendable {
  case all
  /// The lists with these keys, as far as they exist.
  case keys([ListKey])
  /// The lists whose names are in a range.
  case names(NameRange)
}

/// A range of the names of lists, for pages of an overview.
public struct NameRange: Equatable, Sendable {
  /// The beginning of the names; empty for all.
  public var prefix: String
  /// The name after which the range begins, whether or not a list has it; nil for no such limit.
  public var after: ListName?
  /// The largest number of names; nil for all.
  public var limit: Int?

  public init(prefix: String = "", after: ListName? = nil, limit: Int? = nil) {
    (self.prefix, self.after, self.limit) = (prefix, after, limit)
  }

  /// A text that comes after all names with the prefix, since names contain only ASCII characters.
  package var end: String { prefix + "\u{7f}" }

  /// Returns whether a name is in the range or after it.
  package func begins(before name: ListName) -> Bool {
    if let after, !(after < name) { return false }
    return !name.text.utf8.lexicographicallyPrecedes(prefix.utf8)
  }
}

extension ListReader {
  /// Returns all lists, ordered by name.
  public func lists() throws -> [ListRecord] { try lists(.all) }

  /// Returns the path of the title in the items of a list; nil if it was never set.
  public func titlePath(of list: ListKey) throws -> JSONPointer? {
    try titlePaths(of: [list])[list]
  }

  /// Returns all records of lists that were dropped or renamed, oldest first.
  public func retiredLists() throws -> [RetiredList] { try retiredLists(after: 0) }
}
