/// A bound on input, so that no input uses all of a machine's memory or makes a store that other
/// programs cannot read.
public enum Limit: String, CaseIterable, Sendable {
  case items
  case itemBytes = "item-bytes"
  case idBytes = "id-bytes"
  case commitBytes = "commit-bytes"
  case lineBytes = "line-bytes"
  case depth

  /// The bounded quantity, for tables.
  public var meaning: String {
    switch self {
    case .items: "items in a list"
    case .itemBytes: "bytes of an item, in canonical form"
    case .idBytes: "bytes of an id"
    case .commitBytes: "bytes of an input file, or of all ids and items of a commit"
    case .lineBytes: "bytes of a line of a bundle, which holds a whole version"
    case .depth: "nesting depth of an item's arrays and objects"
    }
  }

  /// The default; no known real list reaches it.
  public var standard: Int {
    switch self {
    case .items: 10_000_000
    case .itemBytes: 16 << 20
    case .idBytes: 1 << 10
    case .commitBytes: Int(clamping: Int64(4) << 30)
    case .lineBytes: 1 << 30
    case .depth: 512
    }
  }

  /// The highest value that can be set; smaller where an `Int` has 32 bits.
  public var highest: Int {
    switch self {
    // A list can have 2³² changes in all, and each item needs one.
    case .items: Int(clamping: Int64(1) << 31)
    // SQLite allows 1,000,000,000 bytes a row, and a row may hold an item and its id.
    case .itemBytes: 900_000_000
    // An index holds every id again, and messages show ids.
    case .idBytes: 1 << 20
    case .commitBytes, .lineBytes: Int(clamping: Int64(1) << 40)
    // Values are read by recursion, also on threads with small stacks.
    case .depth: 512
    }
  }

  /// The environment variable that sets it.
  public var variable: String {
    "LISTSYNC_MAX_" + rawValue.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
  }

  /// The limited subject and the counted unit.
  fileprivate var words: (subject: String, unit: String) {
    switch self {
    case .items: ("the list", "items")
    case .itemBytes: ("the item", "bytes")
    case .idBytes: ("the id", "bytes")
    case .commitBytes: ("the input", "bytes")
    case .lineBytes: ("the line", "bytes")
    case .depth: ("the item", "levels")
    }
  }
}

/// Thrown, inside the errors of readers and services, when input is larger than a limit allows.
public struct ExceededLimit: Error, Hashable, Sendable, CustomStringConvertible {
  public let limit: Limit
  /// The value of the limit.
  public let bound: Int
  /// Nil when reading stopped at the bound, so the size is not known.
  public let found: Int?

  public init(_ limit: Limit, bound: Int, found: Int? = nil) {
    self.limit = limit
    self.bound = bound
    self.found = found
  }

  public var description: String {
    if limit == .depth { return "nested deeper than \(bound)" }
    let (subject, unit) = limit.words
    guard let found else { return "\(subject) has more than \(bound) \(unit)" }
    return "\(subject) has \(found) \(unit), where \(bound) are allowed"
  }
}
