import ListModel

/// The options for reading a snapshot file.
public struct SnapshotOptions: Sendable {
  public enum Format: String, CaseIterable, Sendable {
    /// An array, or an object that holds one.
    case json
    /// One JSON value after another, a line each.
    case ndjson
    /// Rows of cells under a header (RFC 4180), with any separator.
    case csv
  }

  /// The policy for items that share an id, or have none.
  public enum Duplicates: String, CaseIterable, Sendable {
    /// Refuse the snapshot, with the positions.
    case refuse
    /// Keep the first item of an id; leave out items without an id.
    case keepFirst = "keep-first"
    /// Keep the last item of an id, at its place; leave out items without an id.
    case keepLast = "keep-last"
  }

  /// The meaning of a quote at the start of a CSV cell.
  public enum Quoting: String, CaseIterable, Sendable {
    /// The cell ends at the next single quote; a doubled quote stands for one (RFC 4180).
    case standard
    /// Nothing: quotes are ordinary characters.
    case none
  }

  /// Nil to determine it by the file's name and first bytes.
  public var format: Format?
  /// The place of the array of items in a JSON document.
  public var items: JSONPointer?
  public var idRule: IDRule
  public var duplicates: Duplicates
  /// The separator of cells: an ASCII character that is no quote and no line end. Nil for a comma,
  /// or a tab in a `.tsv` file.
  public var separator: UInt8?
  public var quoting = Quoting.standard
  /// Whether each row of a table must have one cell for each column.
  public var refusesRaggedRows = false
  /// Whether a table may end inside a row that is too short.
  public var acceptsCutFile = false
  /// Whether a long JSON text is read on all cores; false leaves the others to other work.
  public var usesAllCores = true
  /// Larger input is refused as early as possible. The caller checks the size of the whole text.
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
