import ListChanges
import ListModel

/// Kept changes between versions, and records about versions and lists: tags, prunings, imports,
/// tokens.
extension ListReader {
  /// Returns the kept changes between two versions; nil if none are kept.
  public func keptChanges(from: Version, to: Version, of list: ListKey) throws -> KeptChanges? {
    try first(Self.keptChanges(from: from, to: to, of: list)) { row in
      let bytes = try reading("kept changes") { () throws(ByteReader.Malformed) in
        try Self.keptBytes(of: row)
      }
      try spend(bytes.count >> 6)
      return (
        try ChangeSetCoding.decode(bytes), Timestamp(millisecondsSince1970: row.integer(4))
      )
    }
  }

  /// Returns the kept changes in a row, as ``ChangeSetCoding`` writes them.
  static func keptBytes(of row: LogRow) throws(ByteReader.Malformed) -> [UInt8] {
    try PackedData.unpack(row.data, upTo: min(Int(row.integer(3)), keptByteLimit))
  }

  /// More bytes than kept changes have before they are deflated.
  private static let keptByteLimit = 1 << 26

  static func keptChanges(from: Version, to: Version, of list: ListKey) -> RowRange {
    RowRange(
      .key(.changeSets), prefix: [LogValue(list), LogValue(from)], from: LogValue(to),
      through: LogValue(to))
  }

  /// Returns the pairs of versions between which changes are kept.
  public func keptRanges(of list: ListKey) throws -> [KeptRange] {
    try rows(RowRange(of: .changeSets, in: list).withoutData) { row in
      KeptRange(from: Version(Int(row.integer(1))), to: Version(Int(row.integer(2))))
    }
  }

  /// Returns the tags of a list, ordered by name.
  public func tags(of list: ListKey) throws -> [TagRecord] {
    try rows(RowRange(of: .tags, in: list), read: TagRecord.init)
  }

  /// Returns the tag with a name; nil if the list has none.
  public func tag(_ name: TagName, of list: ListKey) throws -> TagRecord? {
    try first(Self.tag(name, of: list), read: TagRecord.init)
  }

  static func tag(_ name: TagName, of list: ListKey) -> RowRange {
    let text = LogValue.text(name.text)
    return RowRange(.key(.tags), prefix: [LogValue(list)], from: text, through: text)
  }

  /// Returns the prunings of a list, newest first.
  public func prunes(of list: ListKey) throws -> [PruneRecord] {
    try rows(RowRange(of: .prunes, in: list).descending(), read: PruneRecord.init)
  }

  /// Returns the position in a source up to which versions were imported; nil before the first
  /// import.
  public func importPosition(of source: String, in list: ListKey) throws -> String? {
    let text = LogValue.text(source)
    return try first(
      RowRange(.key(.imports), prefix: [LogValue(list)], from: text, through: text)
    ) { $0.text(2) }
  }

  /// Returns whether the list has an import position for any source.
  public func hasImports(into list: ListKey) throws -> Bool {
    try first(RowRange(of: .imports, in: list)) { _ in true } ?? false
  }

  /// Returns all tokens, including revoked ones, ordered by name; tokens of the same name oldest
  /// first.
  public func tokens() throws -> [TokenRecord] {
    try rows(RowRange(of: .tokens), read: TokenRecord.init)
  }

  /// Returns the token in force with a name; nil if there is none.
  ///
  /// - Complexity: O(1) rows read.
  public func tokenInForce(_ name: TokenName) throws -> TokenRecord? {
    try newestToken(name)?.token.inForce
  }

  /// Returns whether the store has any token, in force or revoked.
  public func hasTokens() throws -> Bool { try first(RowRange(of: .tokens)) { _ in true } ?? false }

  func newestToken(_ name: TokenName) throws -> (number: Int64, token: TokenRecord)? {
    try first(RowRange(.key(.tokens), prefix: [.text(name.text)]).descending()) { row in
      (row.integer(1), try TokenRecord(row))
    }
  }
}

extension TagRecord {
  init(_ row: LogRow) throws {
    guard let name = TagName(row.text(1)), row.integer(2) >= 1 else {
      throw LogTable.tags.brokenRules
    }
    self.init(
      name: name, version: Version(Int(row.integer(2))),
      taggedAt: Timestamp(millisecondsSince1970: row.integer(3)))
  }
}

extension PruneRecord {
  init(_ row: LogRow) throws {
    let (new, old) = (row.integer(1), row.integer(2))
    guard old >= 1, new > old, let chain = Chain(bytes: row.bytes(6)) else {
      throw LogTable.prunes.brokenRules
    }
    self.init(
      oldOldest: Version(Int(old)), newOldest: Version(Int(new)),
      prunedAt: Timestamp(millisecondsSince1970: row.integer(3)), author: row.optionalText(4),
      rule: row.text(5), chain: chain)
  }
}

extension TokenRecord {
  /// Reads a token. Its grants are one per line: `read *`, `write team-*`.
  init(_ row: LogRow) throws {
    let lines = row.text(5).split(separator: "\n", omittingEmptySubsequences: false)
    let grants = lines.map { line -> AccessGrant? in
      let words = line.split(separator: " ", omittingEmptySubsequences: false)
      guard words.count == 2, let right = AccessRight(rawValue: String(words[0])),
        let lists = ListPattern(String(words[1]))
      else { return nil }
      return AccessGrant(right, lists)
    }
    guard let name = TokenName(row.text(0)), let hash = SecretHash(bytes: row.bytes(2)),
      !grants.isEmpty, !grants.contains(nil)
    else { throw LogTable.tokens.brokenRules }
    self.init(
      name: name, secretHash: hash, createdAt: Timestamp(millisecondsSince1970: row.integer(3)),
      revokedAt: row.optionalInteger(4).map { Timestamp(millisecondsSince1970: $0) },
      grants: grants.compactMap(\.self).sorted())
  }

  fileprivate var inForce: TokenRecord? { isInForce ? self : nil }

  func row(number: Int64) -> StoredRow {
    let lines = grants.map { "\($0.right.rawValue) \($0.lists.text)" }
    return StoredRow(
      of: .tokens,
      [
        .text(name.text), .integer(number), .bytes(secretHash.bytes), LogValue(createdAt),
        LogValue(revokedAt?.millisecondsSince1970), .text(lines.joined(separator: "\n")),
      ])
  }
}

/// Changes to keep, encoded and deflated. Make them before the transaction that stores them, since
/// other writers wait for this.
public struct PackedChanges: Sendable {
  fileprivate let byteCount: Int
  fileprivate let data: [UInt8]

  /// - Parameter changes: the changes, with the id in every move.
  public init(_ changes: ChangeSet<Item>) {
    let bytes = ChangeSetCoding.encode(changes)
    (byteCount, data) = (bytes.count, PackedData.pack(bytes))
  }

  fileprivate init(_ row: LogRow) { (byteCount, data) = (Int(row.integer(3)), row.data) }
}

extension ListWriter {
  /// Keeps the changes between two versions, or records a use of kept ones.
  ///
  /// - Parameters:
  ///   - changes: the changes; nil to record only the use.
  ///   - from: the version that they start from.
  ///   - to: the version that they lead to.
  ///   - list: their list.
  ///   - time: the time of the use.
  ///   - byteLimit: the largest number of bytes of all kept changes of the store. The least
  ///     recently used are dropped first; changes with more bytes than this are not kept.
  public func keepChanges(
    _ changes: PackedChanges?, from: Version, to: Version, of list: ListKey,
    usedAt time: Timestamp, byteLimit: Int
  ) throws {
    if let changes {
      guard changes.byteCount <= byteLimit else { return }
      try makeRoom(byteLimit - changes.byteCount, at: time)
    }
    let kept = Self.keptChanges(from: from, to: to, of: list)
    guard let packed = try changes ?? first(kept, read: PackedChanges.init) else { return }
    try replace(
      StoredRow(
        of: .changeSets,
        [
          LogValue(list), LogValue(from), LogValue(to), LogValue(packed.byteCount),
          LogValue(time),
        ], data: packed.data), in: .changeSets)
  }

  /// Drops the least recently used changes until the others take at most this many bytes.
  ///
  /// A use in the future was recorded by a clock that was ahead. It counts as the oldest use;
  /// otherwise these changes would displace all others until that time has come.
  private func makeRoom(_ byteLimit: Int, at now: Timestamp) throws {
    let now = now.millisecondsSince1970
    var kept = try rows(RowRange(of: .changeSets).withoutData) { row in
      (key: (0...2).map { row.integer($0) }, byteCount: Int(row.integer(3)), at: row.integer(4))
    }
    kept.sort { a, b in
      if (a.at <= now) != (b.at <= now) { return a.at <= now }
      return a.at > b.at
    }
    var total = 0
    for changes in kept {
      total += changes.byteCount
      if total <= byteLimit { continue }
      let key = changes.key.map { LogValue.integer($0) }
      try delete(
        RowRange(
          .key(.changeSets), prefix: Array(key.prefix(2)), from: key[2], through: key[2]))
    }
  }

  /// Gives a tag to a version, and takes it from another version that has it.
  public func setTag(_ tag: TagRecord, of list: ListKey) throws {
    try replace(
      StoredRow(
        of: .tags,
        [
          LogValue(list), .text(tag.name.text), LogValue(tag.version), LogValue(tag.taggedAt),
        ]), in: .tags)
  }

  /// Removes a tag, if it exists.
  public func removeTag(_ name: TagName, of list: ListKey) throws {
    try delete(Self.tag(name, of: list))
  }

  /// Sets the position in a source up to which versions were imported. The store does not interpret
  /// this text.
  public func setImportPosition(_ position: String, of source: String, in list: ListKey) throws {
    try replace(
      StoredRow(of: .imports, [LogValue(list), .text(source), .text(position)]), in: .imports)
  }

  /// Stores a token that is in force.
  ///
  /// - Precondition: No token of that name is in force, and there is at least one grant.
  public func addToken(_ token: TokenRecord) throws {
    let last = try newestToken(token.name)
    if last?.token.isInForce == true {
      throw StoreError.database(reason: "a token of this name is in force")
    }
    try insert(token.row(number: (last?.number ?? 0) + 1), into: .tokens)
    changed.insert(Self.others)
  }

  /// Revokes the token of a name, if one is in force.
  public func revokeToken(_ name: TokenName, at time: Timestamp) throws {
    guard let (number, token) = try newestToken(name), token.isInForce else { return }
    try replace(token.revoked(at: time).row(number: number), in: .tokens)
    changed.insert(Self.others)
  }
}
