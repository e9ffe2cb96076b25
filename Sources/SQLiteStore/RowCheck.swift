/// A rule of the rows, as a question for those that break it.
struct RowCheck {
  let reason: String
  /// Gives the version at fault, or null, and where there is one the name of what is at fault.
  let sql: String
}

extension RowCheck {
  /// Of one list. `:base` and `:last` are the ends of its keys, `:firstStep` is the key of the
  /// first version that is kept as a step.
  static let ofAList =
    digests + [
      RowCheck(
        reason: "its oldest version is after its newest",
        sql: "SELECT NULL FROM lists WHERE list_id = :list AND oldest > max(head, 1)"),
      RowCheck(
        reason: "it is not among the versions that the list says it has",
        sql: """
          SELECT version FROM versions
          WHERE version_id BETWEEN :base AND :last AND version NOT BETWEEN :oldest AND :head LIMIT 1
          """),
      RowCheck(
        reason: "it has changes behind the one that its next change is to follow",
        sql: """
          SELECT NULL FROM lists WHERE list_id = :list AND next_change <= coalesce(
            (SELECT max(change_id) - :base FROM changes WHERE change_id BETWEEN :base AND :last), 0)
          """),
      RowCheck(
        reason: "it has changes before those of its first version",
        sql: """
          SELECT NULL FROM versions WHERE version_id = :base + 1 AND EXISTS (
            SELECT 1 FROM changes WHERE change_id BETWEEN :base AND :base + first_change - 1)
          """),
      brokenRow, brokenCheckpoint,
      RowCheck(
        reason: "there is a checkpoint of it, though the list does not have it",
        sql: """
          SELECT DISTINCT version FROM checkpoints
          WHERE list_id = :list AND version NOT BETWEEN :oldest AND :head
          """),
      RowCheck(
        reason: "a tag names it, though the list does not have it",
        sql: """
          SELECT version, name FROM tags
          WHERE list_id = :list AND version <> 0 AND version NOT BETWEEN :oldest AND :head
          """),
      RowCheck(
        reason: "kept changes lead to or from it, though the list never had it",
        sql: """
          SELECT max(from_version, to_version) FROM change_sets
          WHERE list_id = :list AND (
            max(from_version, to_version) > :head OR min(from_version, to_version) < 0)
          """),
      RowCheck(
        reason: "kept changes are not of the length that is noted of them",
        sql: """
          SELECT max(from_version, to_version) FROM change_sets
          WHERE list_id = :list AND byte_count <> length(data)
          """),
      RowCheck(
        reason: "versions that it still has are on record as pruned",
        sql: """
          SELECT NULL FROM prunes
          WHERE list_id = :list AND (new_oldest > :oldest OR old_oldest >= new_oldest) LIMIT 1
          """),
      RowCheck(
        reason: "its chain is not the one on record from when those before it were pruned",
        sql: """
          SELECT version FROM prunes JOIN versions ON version_id = :base + new_oldest
          WHERE prunes.list_id = :list AND new_oldest = :oldest AND prunes.chain <> versions.chain
          """),
    ]

  /// Rows whose digests say that they are not what was written.
  private static let digests: [RowCheck] = [
    digest(of: .versions, version: "version", "version_id BETWEEN :base AND :last"),
    digest(
      of: .changes,
      version: """
        (SELECT version FROM versions
          WHERE version_id BETWEEN :base AND :last AND first_change <= change_id - :base
          ORDER BY version_id DESC LIMIT 1)
        """,
      "change_id BETWEEN :base AND :last"),
    digest(of: .headParts, version: "NULL", "list_id = :list"),
    digest(of: .checkpoints, version: "version", "list_id = :list"),
    digest(of: .changeSets, version: "max(from_version, to_version)", "list_id = :list"),
    digest(of: .tags, version: "version", "list_id = :list"),
    digest(of: .prunes, version: "NULL", "list_id = :list"),
    digest(of: .imports, version: "NULL", "list_id = :list"),
  ]

  private static func digest(
    of table: DigestedTable, version: String, _ rows: String
  ) -> RowCheck {
    RowCheck(
      reason: "a row of \(table.rawValue) is not what was written",
      sql: """
        SELECT \(version) FROM \(table.rawValue) WHERE \(rows) AND NOT (\(table.isSound)) LIMIT 1
        """)
  }

  /// What the schema says in its comments of which columns are null.
  private static let brokenRow = RowCheck(
    reason: "one of its changes names too much, too little, or what comes later",
    sql: """
      SELECT (
        SELECT version FROM versions
        WHERE version_id BETWEEN :base AND :last AND first_change <= change_id - :base
        ORDER BY version_id DESC LIMIT 1)
      FROM changes
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
      """)

  private static let brokenCheckpoint = RowCheck(
    reason: "its checkpoint lacks a row",
    sql: """
      SELECT version FROM checkpoints WHERE list_id = :list
      GROUP BY version HAVING min(row) <> 0 OR max(row) <> count(*) - 1
      """)

  /// Every table whose rows belong to lists, with what tells the list.
  static let tables = [
    ("versions", "version_id >> 32"), ("changes", "change_id >> 32"), ("head_parts", "list_id"),
    ("checkpoints", "list_id"), ("change_sets", "list_id"), ("tags", "list_id"),
    ("prunes", "list_id"), ("imports", "list_id"),
  ]

  /// The lists of a table that are not there; from one list to the next, where a key leads.
  static func strayLists(in table: String, key: String) -> String {
    guard key.hasSuffix(">> 32"), let column = key.split(separator: " ").first else {
      return """
        SELECT DISTINCT \(key) FROM \(table) WHERE \(key) NOT IN (SELECT list_id FROM lists)
        """
    }
    return """
      WITH RECURSIVE found (list) AS (
        SELECT min(\(column)) >> 32 FROM \(table)
        UNION ALL
        SELECT (SELECT min(\(column)) >> 32 FROM \(table) WHERE \(column) >= list + 1 << 32)
        FROM found WHERE list IS NOT NULL)
      SELECT list FROM found WHERE list IS NOT NULL AND list NOT IN (SELECT list_id FROM lists)
      """
  }
}
