import Testing

@testable import ListStore
@testable import PostgresStore

/// Rows that a transaction has read, without a server.
@Suite struct RowCacheTests {
  private func row(_ number: Int64, _ data: UInt8 = 1) -> StoredRow {
    StoredRow(of: .idParts, [.integer(7), .integer(number), .bytes([data])])
  }

  private func range(_ from: Int64, _ through: Int64) -> RowRange {
    RowRange(of: .idParts, in: ListKey(rawValue: 7), from: from, through: through)
  }

  @Test func rangeIsAnsweredByKeysAsFarAsTheyAreKnown() {
    var cache = RowCache()
    cache.begin(range(1, 5))
    for number in [2, 4] { cache.add(row(Int64(number)), to: range(1, 5)) }
    #expect(cache.rows(in: range(1, 5)) == [row(2), row(4)])
    #expect(cache.rows(in: range(2, 4).descending(limit: 1)) == [row(4)])
    #expect(cache.rows(in: range(3, 3)) == [])
    #expect(cache.rows(in: range(3, 6)) == nil)
    #expect(cache.has(RowKey(list: 7, number: 3), of: .idParts, columnCount: 4))
    #expect(!cache.has(RowKey(list: 7, number: 6), of: .idParts, columnCount: 4))
  }

  @Test func writtenRowIsTheAnswerAndADeletionForgets() {
    var cache = RowCache()
    cache.begin(range(1, 3))
    cache.add(row(2), to: range(1, 3))
    for changed in [row(2, 9), row(3)] {
      changed.withRow(upTo: 4) { cache.write($0, of: .idParts) }
    }
    #expect(cache.rows(in: range(1, 3)) == [row(2, 9), row(3)])
    cache.removeAll(of: .idParts)
    #expect(cache.rows(in: range(1, 3)) == nil)
  }

  @Test func bytesOfRowsAreCountedUntilAllAreForgotten() {
    var cache = RowCache()
    for number in 0..<100 { cache.add(row(Int64(number)), of: .idParts) }
    #expect((100 * 64..<100 * 1024).contains(cache.byteCount))
    cache.removeAll()
    #expect(cache.byteCount == 0 && cache.rows(in: range(0, 1)) == nil)
  }
}
