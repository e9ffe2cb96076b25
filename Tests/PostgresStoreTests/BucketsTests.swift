import PostgresTestSupport
import TestSupport
import Testing

@testable import PostgresStore

@Suite struct BucketsTests {
  @Test(.needsPostgreSQL) func hashIsThatOfTheServer() throws {
    var random = SeededRandom(seed: 1)
    let numbers =
      [0, 1, -1, 32, .max, .min]
      + (0..<200).map { Int64.random(in: .min ... .max, using: &random) >> ($0 % 60) }
    let server = try PostgresServer.shared.get()
    let hashes = try server.sql(
      """
      SELECT hashint8(number) FROM unnest(ARRAY\(numbers)::bigint[])
        WITH ORDINALITY AS asked (number, position) ORDER BY position
      """
    )
    #expect(hashes.map { Int64($0) } == numbers.map { Buckets.hash($0) })
  }

  @Test func eachListHasTheBucketOfItsShard() {
    let ranges: [ClosedRange<Int64>] = [
      -2_147_483_648 ... -1_073_741_825, -1_073_741_824 ... -1, 0...1_073_741_823,
      1_073_741_824...2_147_483_647,
    ]
    let buckets = Buckets.numbered(ranges)
    #expect(buckets.all.map(\.hashes) == ranges)
    #expect(Set(buckets.all.map(\.number)).count == 4)
    for bucket in buckets.all {
      #expect(bucket.number % 32 == 0 && bucket.number > 0)
      #expect(bucket.hashes.contains(Buckets.hash(bucket.number)))
    }
    for list in Int64(0)..<1000 {
      let range = ranges.firstIndex { $0.contains(Buckets.hash(list)) }
      #expect(buckets.bucket(of: list) == buckets.all[range!].number)
    }
    #expect(Buckets.one.bucket(of: 7) == 0)
  }
}

@Suite struct ChangeRecordTests {
  /// A record of transactions, each with its lists, as the server keeps it.
  private static func record(_ transactions: [[Int64]]) -> [UInt8] {
    var record: [UInt8] = []
    for (number, lists) in transactions.enumerated() {
      let newest = ([Int64(-1 - number)] + lists).flatMap(\.bigEndianBytes)
      record = Array((newest + record).prefix(ChangeRecord.byteCount))
    }
    return record
  }

  /// All the lists since a number, or nothing.
  @Test func recordGivesAllChangedListsOrNone() {
    var random = SeededRandom(seed: 2)
    var (givenCount, refusedCount) = (0, 0)
    for _ in 0..<400 {
      let transactions = (0..<Int.random(in: 1...50, using: &random)).map { _ in
        (0..<[1, 1, 1, 2, 5, 70].randomElement(using: &random)!).map { _ in
          Int64.random(in: 0...90, using: &random)
        }
      }
      let record = Self.record(transactions)
      for known in 0...transactions.count {
        let lists = ChangeRecord.lists(
          record, after: Int64(known), to: Int64(transactions.count))
        if let lists {
          #expect(lists == Set(transactions.dropFirst(known).joined()))
        } else {
          #expect(transactions.dropFirst(known).reduce(0) { $0 + 8 + $1.count * 8 } >= record.count)
        }
        if lists == nil { refusedCount += 1 } else { givenCount += 1 }
      }
    }
    #expect(givenCount > 1000 && refusedCount > 1000)
  }

  @Test func recordOfAnotherHistoryGivesNothing() {
    let record = Self.record([[1], [2], [3]])
    #expect(ChangeRecord.lists(record, after: 1, to: 3) == [2, 3])
    #expect(ChangeRecord.lists(record, after: 4, to: 3) == nil)
    #expect(ChangeRecord.lists(record, after: 1, to: 4) == nil)
    #expect(ChangeRecord.lists([], after: 0, to: 1) == nil)
    #expect(ChangeRecord.lists([], after: 0, to: 0) == [])
  }
}
