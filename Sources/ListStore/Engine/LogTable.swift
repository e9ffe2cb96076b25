import ListModel

/// A table of the log. An engine stores its rows in the order of their keys, and knows nothing
/// about their meaning.
public enum LogTable: Int, CaseIterable, Sendable {
  /// The directory: the lists by their names.
  case names
  case lists
  case versions
  /// The order of each list's newest version.
  case headParts
  /// The items of each list by the hashes of their ids.
  case idParts
  case checkpoints
  /// The changes of each list, in the order of their versions.
  case segments
  /// The blocks of segments. The number of a deleted block is not used again.
  case blocks
  /// Changes between two versions that were costly to compute.
  case changeSets
  case tags
  case prunes
  case imports
  /// The names that lists have left.
  case retiredLists
  case tokens

  public var layout: TableLayout { Self.layouts[rawValue] }

  /// The tables whose rows belong to lists: their keys begin with the key of the list.
  public static let ofLists: [LogTable] = [
    .versions, .segments, .blocks, .headParts, .idParts, .checkpoints, .changeSets, .tags, .prunes,
    .imports,
  ]

  private static let layouts = allCases.map(\.madeLayout)

  private var madeLayout: TableLayout {
    switch self {
    case .names: TableLayout("names", key: [.text("name")], [.integer("list_id", .lists)])
    case .lists:
      TableLayout(
        "lists", key: [.integer("list_id", .lists)],
        [
          .text("name", isOptional: true), .integer("head", .versions),
          .integer("oldest", .versions), .text("id_rule", isOptional: true),
          .text("title_path", isOptional: true),
          .integer("next_change", .changes), .integer("id_digests", .digestSums),
          .bytes("chain_before", isOptional: true), .integer("merge_count", .allCounts),
          .text("max_removed", isOptional: true), .text("max_updated", isOptional: true),
        ])
    case .versions:
      TableLayout(
        "versions", key: [.integer("list_id", .lists), .integer("version", .versions)],
        [
          .integer("first_change", .changes), .integer("committed_at", .times),
          .text("author", isOptional: true), .text("message", isOptional: true),
          .integer("item_count", .counts), .integer("removed", .counts),
          .integer("moved", .counts), .integer("inserted", .counts),
          .integer("updated", .counts), .bytes("root"), .bytes("chain"),
        ])
    case .headParts:
      TableLayout(
        "head_parts", key: [.integer("list_id", .lists), .integer("rank", .ranks)],
        [
          .integer("item_count", .counts), .integer("lowest_item", .keys),
          .integer("highest_item", .keys), .bytes("hash"),
        ],
        data: .bytes("data"))
    case .idParts:
      TableLayout(
        "id_parts", key: [.integer("list_id", .lists), .integer("last_prefix", .hashes)],
        [.bytes("data")])
    case .checkpoints:
      TableLayout(
        "checkpoints",
        key: [
          .integer("list_id", .lists), .integer("version", .versions), .integer("part", .counts),
        ],
        [.integer("next_change", .changes)], data: .bytes("data"))
    case .segments:
      TableLayout(
        "segments", key: [.integer("list_id", .lists), .integer("first_change", .changes)],
        [.integer("end_change", .changes), .integer("unfolded", .allCounts)],
        data: .bytes("data"))
    case .blocks:
      TableLayout(
        "blocks", key: [.integer("list_id", .lists), .integer("block", 1...Int64.max)],
        [.integer("byte_count", .byteCounts)], data: .bytes("data"))
    case .changeSets:
      TableLayout(
        "change_sets",
        key: [
          .integer("list_id", .lists), .integer("from_version", .versions),
          .integer("to_version", .versions),
        ],
        [.integer("byte_count", .byteCounts), .integer("used_at", .times)], data: .bytes("data"))
    case .tags:
      TableLayout(
        "tags", key: [.integer("list_id", .lists), .text("name")],
        [.integer("version", .versions), .integer("tagged_at", .times)])
    case .prunes:
      TableLayout(
        "prunes", key: [.integer("list_id", .lists), .integer("new_oldest", .versions)],
        [
          .integer("old_oldest", .versions), .integer("pruned_at", .times),
          .text("author", isOptional: true), .text("rule"), .bytes("chain"),
        ])
    case .imports:
      TableLayout(
        "imports", key: [.integer("list_id", .lists), .text("source")], [.text("position")])
    case .retiredLists:
      TableLayout(
        "former_lists", key: [.integer("former_id", .counts)],
        [
          .text("name"), .integer("version", .versions), .bytes("chain"),
          .integer("left_at", .times), .text("author", isOptional: true),
          .text("new_name", isOptional: true),
        ])
    case .tokens:
      TableLayout(
        "tokens", key: [.text("name"), .integer("number", .counts)],
        [
          .bytes("secret_hash"), .integer("created_at", .times),
          .integer("revoked_at", .times, isOptional: true), .text("grants"),
        ])
    }
  }
}

/// The columns of a table: the columns of the key, further columns, the digest of all these, and in
/// some tables data, with its digest among the columns before.
public struct TableLayout: Sendable {
  public struct Column: Sendable {
    public enum Kind: Sendable { case integer, text, bytes }

    public let name: String
    public let kind: Kind
    public let isOptional: Bool
    /// The values that an integer may have.
    let range: ClosedRange<Int64>

    static func integer(
      _ name: String, _ range: ClosedRange<Int64>, isOptional: Bool = false
    ) -> Column {
      Column(name: name, kind: .integer, isOptional: isOptional, range: range)
    }

    static func text(_ name: String, isOptional: Bool = false) -> Column {
      Column(name: name, kind: .text, isOptional: isOptional, range: .all)
    }

    static func bytes(_ name: String, isOptional: Bool = false) -> Column {
      Column(name: name, kind: .bytes, isOptional: isOptional, range: .all)
    }
  }

  public let name: String
  public let columns: [Column]
  /// The number of columns of the key. They come first.
  public let keyColumnCount: Int
  /// The position of the digest, a check value of 24 bits over the table and all columns before it.
  public let digestColumn: Int
  /// A number that differs from table to table.
  fileprivate let seed: UInt64

  fileprivate init(_ name: String, key: [Column], _ others: [Column], data: Column? = nil) {
    self.name = name
    keyColumnCount = key.count
    let covered = key + others + (data == nil ? [] : [.integer("data_digest", .all)])
    digestColumn = covered.count
    columns = covered + [.integer("digest", .all)] + [data].compactMap(\.self)
    var hash = WordHash()
    hash.add(Array(name.utf8))
    seed = hash.value
  }

  /// The number of columns up to the digest: all columns except the data.
  public var coveredColumnCount: Int { digestColumn + 1 }

  /// The position of the data; nil in a table without data. The digest of the data is in the column
  /// before the digest of the row.
  var dataColumn: Int? { columns.count > coveredColumnCount ? coveredColumnCount : nil }
}

extension ClosedRange<Int64> {
  fileprivate static let all = Int64.min...Int64.max
  fileprivate static let lists = 1...ListKey.largest
  fileprivate static let versions = 0...Int64(Version.highest.number)
  fileprivate static let changes = ListKey.sequences
  fileprivate static let counts = 0...ListKey.largestSequence
  fileprivate static let byteCounts: ClosedRange<Int64> = 0...1 << 32
  fileprivate static let allCounts: ClosedRange<Int64> = 0...1 << 40
  /// Keys of items, with their lists.
  fileprivate static let keys: ClosedRange<Int64> = 0...Int64.max
  fileprivate static let ranks: ClosedRange<Int64> = -1 << 61...1 << 61
  fileprivate static let hashes = 0...IDPart.lastHash
  fileprivate static let times = Timestamp.millisecondRange
  /// Sums of digests of 24 bits.
  fileprivate static let digestSums: ClosedRange<Int64> = -1 << 56...1 << 56
}

// MARK: Digests

/// The digests of a row tie its data, its other values, its key and its table together. So data of
/// another row, list or version is damage.
extension LogTable {
  /// Returns the digest of a row. It covers the digest of the data, which need not be read.
  package func digest(of row: LogRow) -> Int64 {
    let layout = layout
    var hash = WordHash()
    hash.add(layout.seed)
    for cell in row.cells.prefix(layout.digestColumn) {
      switch cell {
      case .integer(let number): hash.add(UInt64(bitPattern: number))
      // A fixed word for null. It is as unlikely as any other word to be an integer or a length.
      case .null: hash.add(0x6e75_6c6c_6e75_6c6c)
      case .bytes(let bytes):
        hash.add(UInt64(bytes.count) &<< 3)
        hash.add(bytes)
      }
    }
    // SQLite stores a number of 24 bits in three bytes and one for its type.
    return Int64(Int32(truncatingIfNeeded: hash.value) >> 8)
  }

  /// Returns the digest of the data of a row, a check value of 64 bits.
  package static func digest(ofData data: UnsafeRawBufferPointer) -> Int64 {
    var hash = WordHash()
    hash.add(UInt64(data.count))
    hash.add(data)
    return Int64(bitPattern: hash.value)
  }

  /// Checks that a row is as it was written, and that its values are in the ranges of their
  /// columns. All rows that are read pass through this check, so readers may calculate with single
  /// values.
  ///
  /// - Parameter row: a row of this table, with or without its data.
  /// - Throws: ``damage`` or ``brokenRules``.
  func check(_ row: LogRow) throws(StoreError) {
    let layout = layout
    guard row.integer(layout.digestColumn) == digest(of: row) else { throw damage }
    if let column = layout.dataColumn, column < row.cells.count {
      guard case .bytes(let data) = row.cells[column],
        row.integer(layout.digestColumn - 1) == Self.digest(ofData: data)
      else { throw damage }
    }
    for (cell, column) in zip(row.cells, layout.columns) {
      switch cell {
      case .integer(let number):
        guard column.range.contains(number) else { throw brokenRules }
      case .null: guard column.isOptional else { throw brokenRules }
      case .bytes: break
      }
    }
  }

  /// The error for a row that is not as it was written.
  var damage: StoreError { .corrupt(reason: isDamaged) }
  var isDamaged: String { "a row of \(layout.name) is not what was written" }

  /// The error for a row whose values break the rules of its table.
  var brokenRules: StoreError {
    .corrupt(reason: "a row of \(layout.name) breaks the rules of \(layout.name)")
  }
}

extension StoredRow {
  /// Makes a row of a table, with its digests.
  ///
  /// - Parameters:
  ///   - values: the key and the further columns.
  ///   - data: the data; nil in a table without data.
  package init(of table: LogTable, _ values: [LogValue], data: [UInt8]? = nil) {
    self.init(values)
    if let data {
      self.values.append(.integer(data.withUnsafeBytes { LogTable.digest(ofData: $0) }))
    }
    self.values.append(.integer(withRow(upTo: self.values.count) { table.digest(of: $0) }))
    if let data { self.values.append(.bytes(data)) }
  }

  /// The digest of a row that has no data.
  package var digest: Int64 { if case .integer(let digest)? = values.last { digest } else { 0 } }
}
