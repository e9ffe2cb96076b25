/// A table of the log. An engine stores its rows in the order of their keys, and knows nothing
/// about their meaning.
public enum LogTable: Int, CaseIterable, Sendable {
  /// The directory: the lists by their names.
  case names
  case lists
  case versions
  case changes
  /// The order of each list's newest version.
  case headParts
  /// The items of each list by the hashes of their ids.
  case idParts
  case checkpoints
  /// The packed rows of each list.
  case slices
  /// The blocks of slices. The number of a deleted block is not used again.
  case blocks
  /// Changes between two versions that were costly to compute.
  case changeSets
  case tags
  case prunes
  case imports
  /// The names that lists have left.
  case formerLists
  case tokens

  public var layout: TableLayout { Self.layouts[rawValue] }

  /// The tables whose rows belong to lists: their keys begin with the key of the list.
  public static let ofLists: [LogTable] = [
    .versions, .changes, .headParts, .idParts, .checkpoints, .slices, .blocks, .changeSets, .tags,
    .prunes, .imports,
  ]

  private static let layouts = allCases.map(\.madeLayout)

  private var madeLayout: TableLayout {
    switch self {
    case .names: TableLayout("names", key: [.text("name")], [.integer("list_id")])
    case .lists:
      TableLayout(
        "lists", key: [.integer("list_id")],
        [
          .text("name", isOptional: true), .integer("head"), .integer("oldest"),
          .text("id_rule", isOptional: true), .text("title_path", isOptional: true),
          .integer("next_change"), .integer("id_digests"),
          .bytes("chain_before", isOptional: true), .integer("first_plain"),
          .integer("keeps_plain"), .text("max_removed", isOptional: true),
        ])
    case .versions:
      TableLayout(
        "versions", key: [.integer("list_id"), .integer("version")],
        [
          .integer("first_change"), .integer("committed_at"), .text("author", isOptional: true),
          .text("message", isOptional: true), .integer("item_count"), .integer("removed"),
          .integer("moved"), .integer("inserted"), .integer("updated"), .bytes("root"),
          .bytes("chain"),
        ])
    case .changes:
      TableLayout(
        "changes", key: [.integer("list_id"), .integer("change")],
        [
          .integer("kind"), .integer("item", isOptional: true),
          .integer("old_index", isOptional: true), .integer("new_index", isOptional: true),
          .integer("old_content", isOptional: true), .integer("new_content", isOptional: true),
          .text("id", isOptional: true), .text("content", isOptional: true),
        ])
    case .headParts:
      TableLayout(
        "head_parts", key: [.integer("list_id"), .integer("rank")],
        [
          .integer("item_count"), .integer("lowest_item"), .integer("highest_item"), .bytes("hash"),
        ],
        data: .bytes("data"))
    case .idParts:
      TableLayout(
        "id_parts", key: [.integer("list_id"), .integer("last_prefix")], [.bytes("data")])
    case .checkpoints:
      TableLayout(
        "checkpoints", key: [.integer("list_id"), .integer("version"), .integer("part")],
        [.integer("next_change")], data: .bytes("data"))
    case .slices:
      TableLayout(
        "slices", key: [.integer("list_id"), .integer("first_change")], [.integer("end_change")],
        data: .bytes("data"))
    case .blocks:
      TableLayout(
        "blocks", key: [.integer("list_id"), .integer("block")], [], data: .bytes("data"))
    case .changeSets:
      TableLayout(
        "change_sets",
        key: [.integer("list_id"), .integer("from_version"), .integer("to_version")],
        [.integer("byte_count"), .integer("used_at")], data: .bytes("data"))
    case .tags:
      TableLayout(
        "tags", key: [.integer("list_id"), .text("name")],
        [.integer("version"), .integer("tagged_at")])
    case .prunes:
      TableLayout(
        "prunes", key: [.integer("list_id"), .integer("new_oldest")],
        [
          .integer("old_oldest"), .integer("pruned_at"), .text("author", isOptional: true),
          .text("rule"), .bytes("chain"),
        ])
    case .imports:
      TableLayout(
        "imports", key: [.integer("list_id"), .text("source")], [.text("position")])
    case .formerLists:
      TableLayout(
        "former_lists", key: [.integer("former_id")],
        [
          .text("name"), .integer("version"), .bytes("chain"), .integer("left_at"),
          .text("author", isOptional: true), .text("new_name", isOptional: true),
        ])
    case .tokens:
      TableLayout(
        "tokens", key: [.text("name"), .integer("number")],
        [
          .bytes("secret_hash"), .integer("created_at"), .integer("revoked_at", isOptional: true),
          .text("grants"),
        ])
    }
  }
}

/// The columns of a table: the columns of the key, further columns, the digest of all these, and in
/// some tables data that has a digest of its own.
public struct TableLayout: Sendable {
  public struct Column: Sendable {
    public enum Kind: Sendable { case integer, text, bytes }

    public let name: String
    public let kind: Kind
    public let isOptional: Bool

    static func integer(_ name: String, isOptional: Bool = false) -> Column {
      Column(name: name, kind: .integer, isOptional: isOptional)
    }

    static func text(_ name: String, isOptional: Bool = false) -> Column {
      Column(name: name, kind: .text, isOptional: isOptional)
    }

    static func bytes(_ name: String, isOptional: Bool = false) -> Column {
      Column(name: name, kind: .bytes, isOptional: isOptional)
    }
  }

  public let name: String
  public let columns: [Column]
  /// The number of columns of the key. They come first.
  public let keyColumnCount: Int
  /// The position of the digest, a check value of 24 bits over all columns before it.
  public let digestColumn: Int

  fileprivate init(_ name: String, key: [Column], _ others: [Column], data: Column? = nil) {
    self.name = name
    keyColumnCount = key.count
    digestColumn = key.count + others.count
    columns = key + others + [.integer("digest")] + [data].compactMap(\.self)
  }

  /// The number of columns up to the digest: all columns except the data.
  public var coveredColumnCount: Int { digestColumn + 1 }
}

extension LogTable {
  /// Returns whether a row is as it was written, by its digest.
  func isSound(_ row: LogRow) -> Bool {
    let column = layout.digestColumn
    return row.integer(column) == row.digest(of: column)
  }

  /// The error for a row that is not as it was written.
  var damage: StoreError { .corrupt(reason: isDamaged) }
  var isDamaged: String { "a row of \(layout.name) is not what was written" }

  /// The error for a row whose values break the rules of its table.
  var brokenRules: StoreError {
    .corrupt(reason: "a row of \(layout.name) breaks the rules of \(layout.name)")
  }
}
