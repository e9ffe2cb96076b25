import ListModel

/// Which lists of a store a reading is about.
public enum ListSelection: Sendable {
  case all
  /// Those that exist of some lists.
  case keys([ListKey])
  /// Those whose names are in a range.
  case names(NameRange)
}

/// A range of the names of lists, for pages of an overview.
public struct NameRange: Equatable, Sendable {
  /// The beginning of the names; empty for all.
  public var prefix: String
  /// The name before the first one, whether or not a list has it.
  public var after: ListName?
  /// The most names; nil for all.
  public var limit: Int?

  public init(prefix: String = "", after: ListName? = nil, limit: Int? = nil) {
    (self.prefix, self.after, self.limit) = (prefix, after, limit)
  }

  /// Is after all names with the prefix: names contain only characters of ASCII.
  package var end: String { prefix + "\u{7f}" }

  /// Whether a name is in the range or after it.
  package func begins(before name: ListName) -> Bool {
    if let after, !(after < name) { return false }
    return !name.text.utf8.lexicographicallyPrecedes(prefix.utf8)
  }
}

extension ListReader {
  /// All lists by name.
  public func lists() throws -> [ListRecord] { try lists(.all) }

  /// Where the items of a list have their title; nil if it was never said.
  public func titlePath(of list: ListKey) throws -> JSONPointer? {
    try titlePaths(of: [list])[list]
  }

  /// All records of lists that were dropped or renamed.
  public func formerLists() throws -> [FormerList] { try formerLists(after: 0) }
}
