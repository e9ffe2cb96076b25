import Foundation

/// The files of a store as bytes: its main file and, after a writer was killed, its write-ahead
/// log.
struct StoreFiles: Equatable, Sendable {
  /// SQLite's default page size.
  static let pageByteCount = 4096
  static let logHeaderByteCount = 32
  static let frameHeaderByteCount = 24
  static let frameByteCount = frameHeaderByteCount + pageByteCount

  var main: [UInt8]
  /// The write-ahead log; nil if there is none.
  var log: [UInt8]?

  init(main: [UInt8], log: [UInt8]?) { (self.main, self.log) = (main, log) }

  init(at path: String) throws {
    main = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    log = (try? Data(contentsOf: URL(fileURLWithPath: path + "-wal"))).map { Array($0) }
    if log?.isEmpty == true { log = nil }
  }

  /// Writes the files to a path that no connection has open, without a writer's shared memory.
  func write(to path: String) throws {
    try Self.write(main, to: path)
    if let log { try Self.write(log, to: path + "-wal") } else { unlink(path + "-wal") }
    unlink(path + "-shm")
  }

  private static func write(_ bytes: [UInt8], to path: String) throws {
    guard let file = fopen(path, "w") else { throw POSIXError(.EIO) }
    defer { fclose(file) }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw POSIXError(.EIO) }
  }

  var pageCount: Int { main.count / Self.pageByteCount }

  /// Where the frames of the write-ahead log begin.
  var frameOffsets: [Int] {
    Array(stride(from: Self.logHeaderByteCount, to: log?.count ?? 0, by: Self.frameByteCount))
  }

  /// The end of the first commit behind an offset in the write-ahead log; nil if there is none.
  ///
  /// Source: https://www.sqlite.org/fileformat2.html, section 4.1: the last frame of a commit has
  /// the size of the database.
  func endOfCommit(after offset: Int) -> Int? {
    guard let log else { return nil }
    let last = frameOffsets.first { $0 >= offset && log[$0 + 4..<$0 + 8].contains { $0 != 0 } }
    return last.map { $0 + Self.frameByteCount }
  }

  static func bytes(ofPage page: Int) -> Range<Int> {
    page * pageByteCount..<(page + 1) * pageByteCount
  }
}

extension [UInt8] {
  /// The bytes with one bit flipped.
  func flipping(bit: Int) -> [UInt8] {
    var bytes = self
    bytes[bit / 8] ^= 1 << (bit % 8)
    return bytes
  }

  func zeroing(_ range: Range<Int>) -> [UInt8] {
    var bytes = self
    bytes.replaceSubrange(range, with: repeatElement(0, count: range.count))
    return bytes
  }

  func swapping(_ one: Range<Int>, _ other: Range<Int>) -> [UInt8] {
    var bytes = self
    bytes.replaceSubrange(one, with: self[other])
    bytes.replaceSubrange(other, with: self[one])
    return bytes
  }
}
