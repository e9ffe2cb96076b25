/// The schema's history: numbered SQL files, embedded when the package is built.
public enum Migrations {
  public struct Migration: Sendable {
    /// The file's name without its ending; never changes once it was released.
    public let name: String
    public let sql: String

    package init(name: String, sql: String) { (self.name, self.sql) = (name, sql) }
  }

  /// In the order in which they are applied; the n-th leads to schema version n.
  public static let all = [
    Migration(name: "0001_create", sql: text(PackageResources._001_create_sql))
  ]

  /// Those of PostgreSQL.
  public static let postgreSQL = [
    Migration(name: "postgresql_0001", sql: text(PackageResources.postgresql_0001_sql))
  ]

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
