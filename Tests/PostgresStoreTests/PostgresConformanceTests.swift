import PostgresTestSupport
import StoreTestSupport
import TestSupport
import Testing

/// PostgreSQL's engine keeps the laws of the storage contract.
@Suite(.needsPostgreSQL) struct PostgresConformanceTests {
  @Test(arguments: StoreLaw.all)
  func postgresStoreKeepsEveryLaw(_ law: StoreLaw) async throws {
    try await law.check(PostgresTest("law").store, seed: SeededRandom.forThisRun().seed)
  }
}
