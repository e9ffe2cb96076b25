import Gzip
import TestSupport
import Testing

@Suite struct GzipTests {
  private static let text = Array(
    String(repeating: "Zion, Yosemite, Acadia, Arches, Denali. ", count: 20).utf8)

  private func compressed(_ bytes: [UInt8], by chunkByteCount: Int = .max) -> [UInt8] {
    let compressor = GzipCompressor()
    var file: [UInt8] = []
    for chunk in bytes.chunks(of: chunkByteCount) { file += compressor.compress(chunk) }
    return file + compressor.finish()
  }

  private func decompressed(
    _ file: [UInt8], by chunkByteCount: Int = .max, byteLimit: Int = .max
  ) throws(GzipError) -> [UInt8] {
    let decompressor = GzipDecompressor(byteLimit: byteLimit)
    var bytes: [UInt8] = []
    for chunk in file.chunks(of: chunkByteCount) {
      decompressor.feed(chunk)
      while let piece = try decompressor.next() { bytes += piece }
    }
    try decompressor.finish()
    return bytes
  }

  @Test(arguments: [1, 2, 7, 1000, .max])
  func decompressionRestoresTheBytesForAnyChunkSize(chunkByteCount: Int) throws {
    for bytes in [[], [7], Self.text] {
      let file = compressed(bytes, by: chunkByteCount)
      #expect(try decompressed(file, by: chunkByteCount) == bytes)
    }
    #expect(compressed(Self.text).count < Self.text.count / 5)
  }

  @Test func decompressionRestoresLongRandomBytes() throws {
    var random = SeededRandom.forThisRun()
    let noise = (0..<40_000).flatMap { _ in withUnsafeBytes(of: random.next(), Array.init) }
    let file = compressed(noise, by: 100_000)
    #expect(try decompressed(file, by: 70_000) == noise, "seed \(random.seed)")
  }

  @Test func equalBytesCompressToEqualFilesWithoutTimeNameOrSystem() {
    let file = compressed(Self.text, by: 13)
    #expect(file == compressed(Self.text, by: 500))
    #expect(Array(file.prefix(10)) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
  }

  @Test func decompressorReadsConsecutiveMembers() throws {
    let file = compressed(Array("Zion ".utf8)) + compressed([]) + compressed(Self.text)
    for chunkByteCount in [1, 3, 26, .max] {
      #expect(try decompressed(file, by: chunkByteCount) == Array("Zion ".utf8) + Self.text)
    }
  }

  @Test func everyPrefixOfAFileIsRefusedAsCutOff() {
    let file = compressed(Self.text)
    for byteCount in 0..<file.count {
      #expect(throws: GzipError.cutOff(byteCount: byteCount)) {
        try decompressed(Array(file.prefix(byteCount)), by: 10)
      }
    }
    let two = file + file.prefix(15)
    #expect(throws: GzipError.cutOff(byteCount: two.count)) { try decompressed(two) }
  }

  @Test func changedByteIsRefusedOrLeavesTheOutputUnchanged() throws {
    let file = compressed(Self.text)
    var refusedCount = 0
    for index in file.indices {
      for mask in [UInt8(1), 0x80, 0xFF] {
        var damaged = file
        damaged[index] ^= mask
        do {
          // The header's text, time and system fields change nothing. Neither do the bits that pad
          // the last byte before the checksum and the length.
          let bytes = try decompressed(damaged)
          #expect(
            (3...9).contains(index) || index == file.count - 9, "byte \(index) is not looked at")
          #expect(bytes == Self.text)
        } catch {
          refusedCount += 1
        }
      }
    }
    #expect(refusedCount >= (file.count - 8) * 3)
  }

  @Test func bytesThatAreNotGzipAreRefusedWithTheirOffset() {
    for text in ["[]", "PK\u{3}\u{4}", "{\"format\":1}"] {
      #expect(throws: GzipError.damaged(offset: 2, reason: "incorrect header check")) {
        try decompressed(Array(text.utf8))
      }
    }
    let file = compressed(Self.text)
    let error = #expect(throws: GzipError.self) { try decompressed(file + [0, 0, 0], by: 11) }
    guard case .damaged(let offset, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect((file.count...file.count + 3).contains(offset))
  }

  @Test func everyCallAfterAnErrorThrowsItAgain() throws {
    let decompressor = GzipDecompressor()
    decompressor.feed([1, 2, 3, 4])
    let error = try #require(#expect(throws: GzipError.self) { try decompressor.next() })
    decompressor.feed(compressed(Self.text))
    #expect(throws: error) { try decompressor.next() }
    #expect(throws: error) { try decompressor.finish() }
  }

  @Test func byteLimitStopsDecompressionOfHighlyCompressedBytes() throws {
    let megabyte = [UInt8](repeating: 0, count: 1 << 20)
    let compressor = GzipCompressor()
    var file: [UInt8] = []
    for _ in 0..<64 { file += compressor.compress(megabyte) }
    file += compressor.finish()
    #expect(file.count < 1 << 17)

    let decompressor = GzipDecompressor(byteLimit: 1 << 20)
    decompressor.feed(file)
    var byteCount = 0
    #expect(throws: GzipError.tooLarge(byteLimit: 1 << 20)) {
      while let piece = try decompressor.next() {
        #expect(piece.count <= 1 << 16)
        byteCount += piece.count
      }
    }
    #expect(byteCount == 1 << 20)
    #expect(try decompressed(compressed(megabyte), byteLimit: 1 << 20) == megabyte)
    #expect(throws: GzipError.tooLarge(byteLimit: (1 << 20) - 1)) {
      try decompressed(compressed(megabyte), byteLimit: (1 << 20) - 1)
    }
  }
}
