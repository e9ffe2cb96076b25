import TestSupport
import Testing

@testable import ListStore
@testable import SQLiteStore

/// If SQLite cannot report sizes by table, they are estimated.
@Suite struct SizeEstimateTests {
  @Test func estimatedSizesAreCloseToThePageCounts() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append((0..<50_000).map { "item\($0)=\($0)" })
    try await store.read { reader in
      let size = try reader.size(of: nil)
      try #require(!size.isEstimate)
      let estimate = try #require(reader.engine as? SQLiteTransaction).byteCountsByWeight()
      let used =
        size.byteCount - (size.byteCounts[.free] ?? 0)
        - (size.byteCounts[.writeAheadLog] ?? 0)
      #expect(((used - 8)...used).contains(estimate.values.reduce(0, +)))
      for part in [StoreSize.Part.changes, .idIndex] {
        let (told, guessed) = (
          try #require(size.byteCounts[part]), try #require(estimate[part])
        )
        #expect(guessed > told * 2 / 3 && guessed < told * 3 / 2, "\(part): \(guessed), \(told)")
      }
    }
  }
}
