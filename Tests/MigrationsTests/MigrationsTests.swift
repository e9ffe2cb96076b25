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

  @Test func schemaRefusesAChecksumOrChainOfTheWrongLength() throws {
    let database = try DatabaseQueue()
    for migration in Migrations.all {
      try database.write { try $0.execute(sql: migration.sql) }
    }
    func insert(checksum: Int, chain: Int) throws {
      try database.write { db in
        try db.execute(
          sql: """
            INSERT OR REPLACE INTO versions VALUES
              (1, 1, 1, NULL, NULL, 0, 0, 0, 0, 0, zeroblob(?), zeroblob(?), 0)
            """, arguments: [checksum, chain])
      }
    }
    try insert(checksum: 16, chain: 32)
    #expect(throws: DatabaseError.self) { try insert(checksum: 15, chain: 32) }
    #expect(throws: DatabaseError.self) { try insert(checksum: 16, chain: 33) }
  }

  /// Version 1 numbered rows by list and 40 bits of sequence, and named every row in full.
  @Test func secondSchemaGivesTheSameAnswersAsTheFirst() throws {
    let database = try DatabaseQueue()
    try database.write { db in
      try db.execute(sql: Migrations.all[0].sql)
      try db.execute(sql: Self.storeOfTheFirstSchema)
    }
    func answers() throws -> [String] {
      try database.read { db in
        try ["SELECT * FROM change_log ORDER BY 1, 2, 6", "SELECT * FROM head_items ORDER BY 1, 2"]
          .flatMap { try Row.fetchAll(db, sql: $0).map(\.description) }
      }
    }
    let before = try answers()
    #expect(before.count == 9)
    try database.write { try $0.execute(sql: Migrations.all[1].sql) }
    #expect(try answers() == before)
    let next = try database.read { db in
      try Int.fetchAll(db, sql: "SELECT next_change FROM lists ORDER BY list_id")
    }
    #expect(next == [7, 2])
  }

  /// parks: a, b; then b before a, with another content; then b alone with its first content.
  /// films: x.
  private static let storeOfTheFirstSchema = """
    INSERT INTO lists VALUES (1, 'parks', 3, 1, NULL), (2, 'films', 1, 1, '["id"]');
    INSERT INTO versions VALUES
      (1, 1, 1 + (1 << 40), 2, 10, NULL, NULL, 2, 0, 0, 2, 0, zeroblob(16), zeroblob(32)),
      (1, 2, 3 + (1 << 40), 2, 20, 'Ann', 'why', 2, 0, 1, 0, 1, zeroblob(16), zeroblob(32)),
      (1, 3, 5 + (1 << 40), 2, 30, NULL, NULL, 1, 1, 0, 0, 1, zeroblob(16), zeroblob(32)),
      (2, 1, 1 + (2 << 40), 1, 15, NULL, NULL, 1, 0, 0, 1, 0, zeroblob(16), zeroblob(32));
    INSERT INTO changes VALUES
      (1 + (1 << 40), 1, 3, 1 + (1 << 40), 'a', NULL, 0, NULL, 1 + (1 << 40), '0'),
      (2 + (1 << 40), 1, 3, 2 + (1 << 40), 'b', NULL, 1, NULL, 2 + (1 << 40), '0'),
      (3 + (1 << 40), 1, 2, 1 + (1 << 40), NULL, 0, 1, 1 + (1 << 40), 1 + (1 << 40), NULL),
      (4 + (1 << 40), 1, 4, 2 + (1 << 40), NULL, 1, 0, 2 + (1 << 40), 4 + (1 << 40), '1'),
      (5 + (1 << 40), 1, 1, 1 + (1 << 40), NULL, 1, NULL, 1 + (1 << 40), NULL, NULL),
      (6 + (1 << 40), 1, 4, 2 + (1 << 40), NULL, 0, 0, 4 + (1 << 40), 2 + (1 << 40), NULL),
      (1 + (2 << 40), 2, 3, 1 + (2 << 40), 'x', NULL, 0, NULL, 1 + (2 << 40), '0');
    """
}
