import PostgresStore
import PostgresTestSupport
import TestSupport
import Testing

/// The rules by which tables can be spread over machines, by the number of the list.
@Suite(.needsPostgreSQL) struct DistributionTests {
  /// The tables with few rows, which every machine has.
  static let shared = [
    "buckets", "former_lists", "marks", "names", "store", "tokens",
  ]

  @Test func everyKeyOfATableOfListsBeginsWithTheList() throws {
    let test = try PostgresTest("catalogue")
    let keys = try test.server.sql(
      """
      SELECT tables.relname, attname FROM pg_index
      JOIN pg_class AS tables ON tables.oid = indrelid
      JOIN pg_namespace ON pg_namespace.oid = relnamespace
      LEFT JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
      WHERE nspname = '\(test.schema)' ORDER BY 1, 2
      """
    ).map { $0.split(separator: "|").map(String.init) }
    #expect(Set(keys.map { $0[0] }).isSuperset(of: ["segments", "versions", "head_parts"]))
    for key in keys where !Self.shared.contains(key[0]) {
      #expect(key.count == 2 && key[1] == "list_id", "\(key)")
    }
    let others = try test.server.sql(
      """
      SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE nspname = '\(test.schema)' AND relkind = 'S'
      UNION ALL SELECT conname FROM pg_constraint JOIN pg_namespace
        ON pg_namespace.oid = connamespace WHERE nspname = '\(test.schema)' AND contype = 'f'
      """)
    #expect(others.isEmpty, "a sequence or a foreign key")
  }

  @Test(.onOneServer) func storeOnOneServerIsNotDistributed() throws {
    let test = try PostgresTest("single")
    let error = #expect(throws: DistributionRefusal.self) {
      try PostgresStore.distribute(address: test.server.address(), schema: test.schema)
    }
    #expect(error?.reason.contains("does not have the extension") == true)
  }

  @Test func storeIsMadeOnceByManyAtTheSameTime() async throws {
    let server = try PostgresServer.shared.get()
    let schema = PostgresServer.name("at once")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          _ = try PostgresStore(address: server.address(), schema: schema, createsMissing: true)
        }
      }
      try await group.waitForAll()
    }
    #expect(try server.sql("SELECT count(*) FROM \"\(schema)\".store") == ["1"])
  }
}
