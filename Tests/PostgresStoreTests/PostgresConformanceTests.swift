import PostgresTestSupport
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// PostgreSQL's engine keeps the laws of the storage contract.
@Suite(.needsPostgreSQL) struct PostgresConformanceTests {
  @Test(.needsCitus, arguments: StoreLaw.all)
  func distributedStoreKeepsEveryLaw(_ law: StoreLaw) async throws {
    try await law.check(PostgresTest("law").store, seed: SeededRandom.forThisRun().seed)
  }

  /// The laws hold, and a machine that has one list alone can answer each of their statements.
  @Test func everyLawHoldsByStatementsThatNameOneList() async throws {
    let server = try PostgresServer("statements", loading: "pg_stat_statements")
    try server.sql("CREATE EXTENSION pg_stat_statements")
    let (filled, acted) = (
      try PostgresTest("rules", on: server), try PostgresTest("rules", on: server)
    )
    try server.sql("SELECT pg_stat_statements_reset()")
    var random = SeededRandom.forThisRun()
    let seed = random.seed
    try await PostgresTest.fill(filled.service, &random)
    try await ServiceAct.makeHistory(acted.service)
    for act in ServiceAct.all { try await act.run(acted.service) }
    await withTaskGroup(of: Void.self) { group in
      for part in 0..<4 {
        group.addTask {
          for number in stride(from: part, to: StoreLaw.all.count, by: 4) {
            let law = StoreLaw.all[number]
            do {
              try await law.check(PostgresTest("rules", on: server).store, seed: seed)
            } catch {
              Issue.record("\(law): \(error)")
            }
          }
        }
      }
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
    let shared = DistributionTests.shared
    let named = try Regex(#""rules \d+"\.(\w+)"#)
    var ofOneList = 0
    for statement in statements {
      let tables = Set(statement.matches(of: named).map { String($0.output[1].substring ?? "") })
      // A law empties tables.
      let isOfLaw = !statement.contains("WHERE") && statement.hasPrefix("DELETE ")
      guard !tables.isSubset(of: shared), !isOfLaw else { continue }
      #expect(tables.isDisjoint(with: shared), "it joins the directory: \(statement)")
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
}
