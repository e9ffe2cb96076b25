import ListModel

/// How a snapshot file is to be read.
public struct SnapshotOptions: Sendable {
  public enum Format: String, CaseIterable, Sendable {
    /// An array, or an object that holds one.
    case json
    /// One JSON value after another, a line each.
    case ndjson
    /// Rows of cells under a header (RFC 4180), with any separator.
    case csv
  }

  /// What to do about items that share an id, or have none.
  public enum Duplicates: String, CaseIterable, Sendable {
    /// The snapshot is refused, with the positions.
    case refuse
    /// The first item of an id stays; items without an id are left out.
    case keepFirst = "keep-first"
    /// The last item of an id stays, at its own place; items without an id are left out.
    case keepLast = "keep-last"
  }

  /// Nil to tell by the name and the first bytes.
  public var format: Format?
  /// Where the array of items stands in a JSON document.
  public var items: JSONPointer?
  public var idRule: IDRule
  public var duplicates: Duplicates
  /// Between the cells of a row: one ASCII character that is no quote and no line end; nil for a
  /// comma, or a tab in a file that is called `.tsv`.
  public var separator: UInt8?
  /// What is larger is refused as soon as it shows; the size of the whole text is the business of
  /// whoever gets its bytes.
  public var limits: Limits

  public init(
    format: Format? = nil, items: JSONPointer? = nil, idRule: IDRule = .standard,
    duplicates: Duplicates = .refuse, separator: UInt8? = nil, limits: Limits = .standard
  ) {
    self.format = format
    self.items = items
    self.idRule = idRule
    self.duplicates = duplicates
    self.separator = separator
    self.limits = limits
  }
}
