import GRDB
import Migrations

/// The numbered migrations as GRDB applies them.
enum Schema {
  /// "LSYN" in the header of the file: which program's database it is.
  static let applicationID = 0x4C53_594E

  /// The first schema whose pages end in checksums, and the migration before it.
  static let firstWithPageChecksums = 3
  static let lastWithoutPageChecksums = "0002_checkpoints"

  /// The first schema that holds tokens.
  static let firstWithTokens = 4
  /// The first schema that is read as it is: what later ones have more is taken to be empty.
  static let firstReadAsItIs = firstWithPageChecksums

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for migration in Migrations.all {
      migrator.registerMigration(migration.name) { try $0.execute(sql: migration.sql) }
    }
    return migrator
  }
}

extension Database {
  /// The version of the schema that the file has; 0 before it has any.
  func schema() throws -> Int { try Int.fetchOne(self, sql: "PRAGMA user_version") ?? 0 }
}
