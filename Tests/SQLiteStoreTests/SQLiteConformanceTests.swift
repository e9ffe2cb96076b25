import StoreTestSupport
import TestSupport
import Testing

/// SQLite's engine keeps the laws of the storage contract.
@Suite struct SQLiteConformanceTests {
  @Test(arguments: StoreLaw.all)
  func sqliteStoreKeepsEveryLaw(_ law: StoreLaw) async throws {
    let folder = try StoreFolder()
    defer { withExtendedLifetime(folder) {} }
    try await law.check(folder.open(), seed: SeededRandom.forThisRun().seed)
  }
}
