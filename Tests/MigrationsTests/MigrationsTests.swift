import Foundation
import GRDB
import Migrations
import TestSupport
import Testing

@Suite struct MigrationsTests {
  @Test func everyMigrationFileIsEmbeddedInTheOrderOfItsNumber() throws {
    let folder = Project.root.appendingPathComponent("Migrations")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".sql") }.sorted()
    #expect(!files.isEmpty)
    #expect(Migrations.all.map { $0.name + ".sql" } == files)
    for (migration, file) in zip(Migrations.all, files) {
      let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
      #expect(migration.sql == text, "\(file)")
    }
  }

  @Test func migrationNumbersCountFromOneAndEqualTheSchemaVersion() throws {
    let database = try DatabaseQueue()
    for (position, migration) in Migrations.all.enumerated() {
      #expect(Int(migration.name.prefix(4)) == position + 1, "\(migration.name)")
      try database.write { try $0.execute(sql: migration.sql) }
      let version = try database.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
      #expect(version == position + 1, "\(migration.name)")
    }
  }

  @Test func schemaRefusesARootOrChainOfTheWrongLength() throws {
    let database = try DatabaseQueue()
    for migration in Migrations.all {
      try database.write { try $0.execute(sql: migration.sql) }
    }
    func insert(root: Int, chain: Int) throws {
      try database.write { db in
        try db.execute(
          sql: """
            INSERT OR REPLACE INTO versions VALUES
              (1, 1, 1, NULL, NULL, 0, 0, 0, 0, 0, zeroblob(?), zeroblob(?), 0)
            """, arguments: [root, chain])
      }
    }
    try insert(root: 32, chain: 32)
    #expect(throws: DatabaseError.self) { try insert(root: 31, chain: 32) }
    #expect(throws: DatabaseError.self) { try insert(root: 32, chain: 33) }
  }
}
