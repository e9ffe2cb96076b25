/// The structural rules for rows: queries for the rows that break them.
enum RowCheck {
  /// A query gives the version at fault, or null, and for some rules the name of what is at fault.
  typealias Rule = (reason: String, sql: String)

  /// The rules for the rows of one list. `:base` and `:last` are the first and the last number that
  /// its rows can have; `:firstStep` is the key of the first version that is kept as a step.
  static let ofAList: [Rule] = tables.map(\.digest) + rules

  private static let rules: [Rule] = [
    (
      "its oldest version is after its newest",
      "SELECT NULL FROM lists WHERE list_id = :list AND oldest > max(head, 1)"
    ),
    (
      "it is not among the versions that the list says it has",
      """
      SELECT version FROM versions
      WHERE version_id BETWEEN :base AND :last AND version NOT BETWEEN :oldest AND :head LIMIT 1
      """
    ),
    (
      "it has changes behind the one that its next change is to follow",
      """
      SELECT NULL FROM lists WHERE list_id = :list AND next_change <= coalesce(
        (SELECT max(change_id) - :base FROM changes WHERE change_id BETWEEN :base AND :last), 0)
      """
    ),
    (
      "it has changes before those of its first version",
      """
      SELECT NULL FROM versions WHERE version_id = :base + 1 AND EXISTS (
        SELECT 1 FROM changes WHERE change_id BETWEEN :base AND :base + first_change - 1)
      """
    ),
    (
      "one of its changes names too much, too little, or what comes later",
      """
      SELECT \(versionOfChange) FROM changes
      WHERE change_id BETWEEN
        :base + (SELECT first_change FROM versions WHERE version_id = :firstStep) AND :last
      AND ((item IS NULL) <> (id IS NOT NULL)
        OR (item IS NULL AND kind <> 1)
        OR (content IS NULL) <> (new_content IS NOT NULL OR kind = 3)
        OR (content IS NOT NULL AND new_content IS NOT NULL)
        OR max(coalesce(item, 0), coalesce(old_content, 0), coalesce(new_content, 0))
          >= change_id - :base
        OR min(coalesce(item, 1), coalesce(old_content, 1), coalesce(new_content, 1)) < 1)
      LIMIT 1
      """
    ),
    (
      "its checkpoint lacks a row",
      """
      SELECT version FROM checkpoints WHERE list_id = :list
      GROUP BY version HAVING min(row) <> 0 OR max(row) <> count(*) - 1
      """
    ),
    (
      "there is a checkpoint of it, though the list does not have it",
      """
      SELECT DISTINCT version FROM checkpoints
      WHERE list_id = :list AND version NOT BETWEEN :oldest AND :head
      """
    ),
    (
      "a tag names it, though the list does not have it",
      """
      SELECT version, name FROM tags
      WHERE list_id = :list AND version <> 0 AND version NOT BETWEEN :oldest AND :head
      """
    ),
    (
      "kept changes lead to or from it, though the list never had it",
      """
      SELECT max(from_version, to_version) FROM change_sets
      WHERE list_id = :list AND (
        max(from_version, to_version) > :head OR min(from_version, to_version) < 0)
      """
    ),
    (
      "kept changes are not of the length on record",
      """
      SELECT max(from_version, to_version) FROM change_sets
      WHERE list_id = :list AND byte_count <> length(data)
      """
    ),
    (
      "versions that it still has are on record as pruned",
      """
      SELECT NULL FROM prunes
      WHERE list_id = :list AND (new_oldest > :oldest OR old_oldest >= new_oldest) LIMIT 1
      """
    ),
    (
      "its chain is not the one on record from when those before it were pruned",
      """
      SELECT version FROM prunes JOIN versions ON version_id = :base + new_oldest
      WHERE prunes.list_id = :list AND new_oldest = :oldest AND prunes.chain <> versions.chain
      """
    ),
  ]

  /// The version that the row of a change belongs to.
  private static let versionOfChange = """
    (SELECT version FROM versions
      WHERE version_id BETWEEN :base AND :last AND first_change <= change_id - :base
      ORDER BY version_id DESC LIMIT 1)
    """

  /// A table whose rows belong to lists.
  struct ListTable {
    let table: DigestedTable
    /// The key, if it holds the list in its high bits; nil for a table with a column `list_id`.
    var key: String?
    /// The version at fault where a row is damaged.
    var version = "NULL"
  }

  static let tables = [
    ListTable(table: .versions, key: "version_id", version: "version"),
    ListTable(table: .changes, key: "change_id", version: versionOfChange),
    ListTable(table: .headParts),
    ListTable(table: .idParts, key: "part_id"),
    ListTable(table: .checkpoints, version: "version"),
    ListTable(table: .changeSets, version: "max(from_version, to_version)"),
    ListTable(table: .tags, version: "version"),
    ListTable(table: .prunes),
    ListTable(table: .imports),
    ListTable(table: .titles),
  ]
}

extension RowCheck.ListTable {
  /// The condition for the rows of a list.
  var rows: String { key.map { "\($0) BETWEEN :base AND :last" } ?? "list_id = :list" }

  /// Finds a row that is not as written.
  fileprivate var digest: RowCheck.Rule {
    (
      table.isDamaged,
      "SELECT \(version) FROM \(table.rawValue) WHERE \(rows) AND NOT (\(table.isSound)) LIMIT 1"
    )
  }

  /// Finds the lists of rows that do not exist. Goes from list to list where the key holds the
  /// list; `UNION` ends it where damaged pages lead back to a list.
  var strayLists: String {
    guard let key else {
      return """
        SELECT DISTINCT list_id FROM \(table.rawValue)
        WHERE list_id NOT IN (SELECT list_id FROM lists)
        """
    }
    return """
      WITH RECURSIVE found (list) AS (
        SELECT min(\(key)) >> 32 FROM \(table.rawValue)
        UNION
        SELECT (SELECT min(\(key)) >> 32 FROM \(table.rawValue) WHERE \(key) >= list + 1 << 32)
        FROM found WHERE list IS NOT NULL)
      SELECT list FROM found WHERE list IS NOT NULL AND list NOT IN (SELECT list_id FROM lists)
      """
  }
}
