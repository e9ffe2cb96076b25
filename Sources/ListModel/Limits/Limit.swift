/// A bound on what comes in, so that no input takes all of a machine's memory, or makes a store
/// that other programs cannot read.
public enum Limit: String, CaseIterable, Sendable {
  case items
  case itemBytes = "item-bytes"
  case idBytes = "id-bytes"
  case commitBytes = "commit-bytes"
  case lineBytes = "line-bytes"
  case depth

  /// What is bounded, as a table shows it.
  public var meaning: String {
    switch self {
    case .items: "items in a list"
    case .itemBytes: "bytes of an item, in canonical form"
    case .idBytes: "bytes of an id"
    case .commitBytes: "bytes of a file that is read, or of all ids and items of a commit"
    case .lineBytes: "bytes of a line of a bundle, which holds a whole version"
    case .depth: "arrays and objects of an item that lie in each other"
    }
  }

  /// What holds unless something else is set; no real list is known that meets it.
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

  /// The largest value that can be set; where an `Int` has 32 bits, no more than that can hold.
  public var highest: Int {
    switch self {
    // A list can have 2³² changes in all, and an item comes by one.
    case .items: Int(clamping: Int64(1) << 31)
    // SQLite takes 1,000,000,000 bytes a row, and an item may come with its id.
    case .itemBytes: 900_000_000
    // An index holds every id a second time, and log lines show it.
    case .idBytes: 1 << 20
    case .commitBytes, .lineBytes: Int(clamping: Int64(1) << 40)
    // Values are read by recursion, on stacks that are small where work is shared by threads.
    case .depth: 512
    }
  }

  /// The environment variable that sets it.
  public var variable: String {
    "LISTSYNC_MAX_" + rawValue.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
  }

  /// What has it, and what is counted.
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

/// Thrown, inside of the errors of readers and services, when input is larger than a limit allows.
public struct ExceededLimit: Error, Hashable, Sendable, CustomStringConvertible {
  public let limit: Limit
  /// The value of the limit.
  public let bound: Int
  /// Nil where reading stopped at the bound, and nobody knows how much there is.
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
