/// The schema's history: numbered SQL files, embedded when the package is built.
public enum Migrations {
  public struct Migration: Sendable {
    /// The file's name without its ending; never changes once it was released.
    public let name: String
    public let sql: String
  }

  /// In the order in which they are applied; the n-th leads to schema version n.
  public static let all = [
    Migration(name: "0001_create", sql: text(PackageResources._001_create_sql)),
    Migration(name: "0002_checkpoints", sql: text(PackageResources._002_checkpoints_sql)),
    Migration(name: "0003_page_checksums", sql: text(PackageResources._003_page_checksums_sql)),
    Migration(name: "0004_tokens", sql: text(PackageResources._004_tokens_sql)),
    Migration(name: "0005_row_digests", sql: text(PackageResources._005_row_digests_sql)),
    Migration(
      name: "0006_former_lists_and_titles",
      sql: text(PackageResources._006_former_lists_and_titles_sql)),
    Migration(name: "0007_changed_lists", sql: text(PackageResources._007_changed_lists_sql)),
    Migration(name: "0008_id_parts", sql: text(PackageResources._008_id_parts_sql)),
  ]

  /// Those of PostgreSQL.
  public static let postgreSQL = [
    Migration(name: "postgresql_0001", sql: text(PackageResources.postgresql_0001_sql)),
    Migration(name: "postgresql_0002", sql: text(PackageResources.postgresql_0002_sql)),
    Migration(name: "postgresql_0003", sql: text(PackageResources.postgresql_0003_sql)),
  ]

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
