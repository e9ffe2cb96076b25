import PostgresStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// The rules by which tables can be spread over machines, by the number of the list.
@Suite(.needsPostgreSQL) struct DistributionTests {
  /// The tables with few rows, which every machine has.
  private static let shared = [
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
    #expect(Set(keys.map { $0[0] }).isSuperset(of: ["changes", "versions", "head_parts"]))
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

  /// A machine that has one list alone can answer the statement.
  @Test func everyStatementNamesOneList() async throws {
    let server = try PostgresServer("statements", loading: "pg_stat_statements")
    try server.sql("CREATE EXTENSION pg_stat_statements")
    let (filled, acted) = (
      try PostgresTest("rules", on: server), try PostgresTest("rules", on: server)
    )
    try server.sql("SELECT pg_stat_statements_reset()")
    var random = SeededRandom(seed: 1)
    try await PostgresTest.fill(filled.service, &random)
    try await ServiceAct.makeHistory(acted.service)
    for act in ServiceAct.all { try await act.run(acted.service) }
    for law in StoreLaw.all {
      try await law.check(PostgresTest("rules", on: server).store, seed: 1)
    }
    for test in [filled, acted] {
      _ = try await StoreAnswers(of: test.service)
      #expect(try await test.service.verify(depth: .everything).faults == [])
    }
    let statements = try server.sql(
      """
      SELECT DISTINCT regexp_replace(query, '\\s+', ' ', 'g') FROM pg_stat_statements
      WHERE query ~ '"rules [0-9]+"\\.' ORDER BY 1
      """)
    let named = try Regex(#""rules \d+"\.(\w+)"#)
    var ofOneList = 0
    for statement in statements {
      let tables = Set(statement.matches(of: named).map { String($0.output[1].substring ?? "") })
      // A law empties tables.
      let isOfLaw = !statement.contains("WHERE") && statement.hasPrefix("DELETE ")
      guard !tables.isSubset(of: Self.shared), !isOfLaw else { continue }
      #expect(tables.isDisjoint(with: Self.shared), "it joins the directory: \(statement)")
      let isOfOneList = try Self.ofOneList.contains { try statement.contains(Regex($0)) }
      ofOneList += isOfOneList ? 1 : 0
      #expect(
        isOfOneList || Self.ofSeveralLists.contains { statement.contains($0) }, "\(statement)")
    }
    #expect(ofOneList > 30)
    let locks = try server.sql(
      """
      SELECT query FROM pg_stat_statements
      WHERE query LIKE '%advisory%' AND query NOT LIKE '%pg_stat%'
      """)
    #expect(locks == [], "a lock of one machine")
  }

  /// How a statement names its list, whose key was found in a table that every machine has.
  private static let ofOneList = [
    #"list_id = \$\d"#, #"^INSERT INTO \S+ \d+"\.\w+ \(list_id.*\) VALUES \("#, #"^COPY "#,
  ]

  /// What `verify` reads of all lists, the lengths of all kept changes, and what `stats` counts.
  private static let ofSeveralLists = [
    "SELECT DISTINCT list_id FROM", " ORDER BY list_id", "SELECT count(*) FROM",
  ]

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
