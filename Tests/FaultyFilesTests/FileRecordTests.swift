import TestSupport
import Testing

@testable import FaultyFiles

@Suite struct FileRecordTests {
  private static func bytes(_ byte: UInt8, _ count: Int) -> [UInt8] {
    [UInt8](repeating: byte, count: count)
  }

  private static func write(_ bytes: [UInt8], at offset: Int, to record: inout FileRecord) {
    bytes.withUnsafeBytes { record.write($0, at: offset) }
  }

  @Test func syncedFileHasExactlyOneImage() {
    var random = SeededRandom.forThisRun()
    var record = FileRecord(durable: Self.bytes(1, 700))
    Self.write(Self.bytes(2, 900), at: 400, to: &record)
    record.sync()
    for _ in 0..<20 {
      #expect(record.image(using: &random) == Self.bytes(1, 400) + Self.bytes(2, 900))
    }
  }

  @Test func unsyncedSectorsAreKeptDroppedOrTornIndependently() {
    var random = SeededRandom.forThisRun()
    var record = FileRecord(durable: Self.bytes(0, 1024))
    Self.write(Self.bytes(1, 1024), at: 0, to: &record)
    var seen: Set<[Int]> = []
    for _ in 0..<400 {
      let image = record.image(using: &random)
      #expect(image.count == 1024)
      let counts = [0, 512].map { start in image[start..<start + 512].filter { $0 == 1 }.count }
      seen.insert(counts.map { $0 == 0 ? 0 : $0 == 512 ? 2 : 1 })
    }
    #expect(seen.count == 9, "seed \(random.seed)")
  }

  /// A truncation happens at once; growth happens byte by byte.
  @Test func imageLengthIsOneThatTheFileHadSinceItsSync() {
    var random = SeededRandom.forThisRun()
    var record = FileRecord(durable: Self.bytes(1, 2000))
    record.truncate(to: 100)
    Self.write(Self.bytes(2, 50), at: 500, to: &record)
    let counts = (0..<400).map { _ in record.image(using: &random).count }
    #expect(
      counts.allSatisfy { $0 == 2000 || (100...550).contains($0) }, "seed \(random.seed)")
    #expect(counts.contains(2000) && counts.contains(550) && Set(counts).count > 10)
    #expect(record.current == Self.bytes(1, 100) + Self.bytes(0, 400) + Self.bytes(2, 50))
  }
}
