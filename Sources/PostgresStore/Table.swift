import ListStore

/// The tables. Each row has a digest: a check value over its other values. A row that is not as
/// written is an error wherever it is read.
enum Table: String, CaseIterable {
  case lists, versions, changes, checkpoints, tags, prunes, imports, titles, tokens, grants
  case headParts = "head_parts"
  case idParts = "id_parts"
  case changeSets = "change_sets"
  case formerLists = "former_lists"

  /// The columns that the digest covers, with their types.
  var columns: KeyValuePairs<String, ColumnType> {
    switch self {
    case .lists:
      [
        "list_id": .big, "name": .bytes, "head": .big, "oldest": .big, "id_rule": .bytes,
        "next_change": .big, "id_digest": .big,
      ]
    case .versions:
      [
        "list_id": .big, "version": .big, "first_change": .big, "committed_at": .big,
        "author": .bytes, "message": .bytes, "item_count": .big, "removed": .big, "moved": .big,
        "inserted": .big, "updated": .big, "checksum": .bytes, "chain": .bytes,
      ]
    case .changes:
      [
        "list_id": .big, "change": .big, "item": .big, "old_index": .big, "new_index": .big,
        "old_content": .big, "new_content": .big, "kind": .short, "id": .bytes, "content": .bytes,
      ]
    case .headParts:
      [
        "list_id": .big, "rank": .big, "item_count": .big, "lowest_item": .big,
        "highest_item": .big,
      ]
    case .idParts: ["list_id": .big, "last_prefix": .big, "data": .bytes]
    case .checkpoints: ["list_id": .big, "version": .big, "part": .big, "data": .bytes]
    case .changeSets:
      [
        "list_id": .big, "from_version": .big, "to_version": .big, "byte_count": .big,
        "data": .bytes,
      ]
    case .tags: ["list_id": .big, "name": .bytes, "version": .big, "tagged_at": .big]
    case .prunes:
      [
        "list_id": .big, "old_oldest": .big, "new_oldest": .big, "pruned_at": .big,
        "author": .bytes, "rule": .bytes, "chain": .bytes,
      ]
    case .imports: ["list_id": .big, "source": .bytes, "position": .bytes]
    case .titles: ["list_id": .big, "path": .bytes]
    case .formerLists:
      [
        "former_id": .big, "name": .bytes, "version": .big, "chain": .bytes, "left_at": .big,
        "author": .bytes, "new_name": .bytes,
      ]
    case .tokens:
      [
        "token_id": .big, "name": .bytes, "secret_hash": .bytes, "created_at": .big,
        "revoked_at": .big,
      ]
    case .grants: ["token_id": .big, "access": .bytes, "lists": .bytes]
    }
  }

  /// A column that the digest does not cover: when kept changes were last used; the data of a part
  /// of the head, which has a digest of its own.
  var otherColumn: (name: String, type: ColumnType)? {
    switch self {
    case .headParts: ("data", .bytes)
    case .changeSets: ("used_at", .big)
    default: nil
    }
  }

  /// Whether a new row takes the place of the row with the same key.
  var replacesRows: Bool {
    switch self {
    case .lists, .changeSets, .tags, .imports, .titles, .tokens: true
    case .versions, .changes, .headParts, .idParts, .checkpoints, .prunes, .grants, .formerLists:
      false
    }
  }

  /// The columns of a new row, in order: those that the digest covers, the other one, the digest.
  var allColumns: [String] {
    columns.map(\.key) + [otherColumn?.name, "digest"].compactMap(\.self)
  }

  var columnNames: String { allColumns.joined(separator: ", ") }

  /// The columns of the key of a table with rows of lists.
  var key: String {
    switch self {
    case .lists, .titles: "list_id"
    case .versions: "list_id, version"
    case .changes: "list_id, change"
    case .headParts: "list_id, rank"
    case .idParts: "list_id, last_prefix"
    case .checkpoints: "list_id, version, part"
    case .changeSets: "list_id, from_version, to_version"
    case .tags: "list_id, name"
    case .prunes: "list_id, new_oldest"
    case .imports: "list_id, source"
    case .formerLists: "former_id"
    case .tokens: "token_id"
    case .grants: "token_id, access, lists"
    }
  }

  /// The tables whose rows belong to lists, without `lists` itself.
  static let ofLists = allCases.filter { $0 != .lists && $0.key.hasPrefix("list_id") }

  /// Thrown for a row that is not as written.
  var damage: StoreError { .corrupt(reason: "a row of \(rawValue) is not what was written") }

  /// Thrown for a row whose values cannot be those of such a row.
  var brokenRules: StoreError {
    .corrupt(reason: "a row of \(rawValue) breaks the rules of \(rawValue)")
  }
}

/// The digest of a row, value by value.
struct RowDigest {
  private var hash = WordHash()

  mutating func add(_ number: Int64) { hash.add(UInt64(bitPattern: number)) }

  mutating func addNull() {
    // As likely to be an integer or a length by chance as any other word.
    hash.add(0x6e75_6c6c_6e75_6c6c)
  }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    hash.add(UInt64(bytes.count) &<< 3)
    hash.add(bytes)
  }

  mutating func add(_ value: Value) {
    switch value {
    case .integer(let number): add(number)
    case .bytes(let bytes): bytes.withUnsafeBytes { add($0) }
    case .null, .string, .integers, .byteArrays: addNull()
    }
  }

  var value: Int64 { Int64(Int32(truncatingIfNeeded: hash.value)) }
}

/// A row with every column, whose digest was compared.
struct SoundRow {
  private let row: ResultRow
  private let first: Int

  /// - Parameter first: the row's first column in the result.
  /// - Throws: `StoreError.corrupt` if the row is not as written.
  init(_ row: ResultRow, of table: Table, from first: Int = 0) throws {
    var digest = RowDigest()
    for (column, (_, type)) in zip(first..., table.columns) {
      if row.isNull(column) {
        digest.addNull()
      } else if type.byteCount == nil {
        row.withBytes(column) { digest.add($0) }
      } else {
        digest.add(row.integer(column))
      }
    }
    let last = first + table.columns.count + (table.otherColumn == nil ? 0 : 1)
    guard row.integer(last) == digest.value else { throw table.damage }
    (self.row, self.first) = (row, first)
  }

  func integer(_ column: Int) -> Int64 { row.integer(first + column) }
  func optionalInteger(_ column: Int) -> Int64? { row.optionalInteger(first + column) }
  func text(_ column: Int) -> String { row.text(first + column) }
  func optionalText(_ column: Int) -> String? { row.optionalText(first + column) }
  func bytes(_ column: Int) -> [UInt8] { row.bytes(first + column) }
  func optionalBytes(_ column: Int) -> [UInt8]? {
    row.isNull(first + column) ? nil : row.bytes(first + column)
  }
}
