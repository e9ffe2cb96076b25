import StoreTestSupport
import TestSupport
import Testing

/// The engine in memory keeps the laws of the storage contract.
@Suite struct MemoryConformanceTests {
  @Test(arguments: StoreLaw.all)
  func memoryStoreKeepsEveryLaw(_ law: StoreLaw) async throws {
    try await law.check(MemoryStore(), seed: SeededRandom.forThisRun().seed)
  }
}
