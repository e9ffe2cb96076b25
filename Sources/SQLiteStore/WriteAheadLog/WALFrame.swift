import Foundation

/// The start of a write-ahead log.
///
/// Source: https://www.sqlite.org/fileformat2.html, section 4.
struct WALHeader {
  static let byteCount = 32
  static let pageByteCounts = (9...16).map { 1 << $0 }

  let pageByteCount: Int
  /// Every frame of the same write-ahead log has it.
  let salt: UInt64
  let checksum: WALChecksum

  /// - Returns: nil unless the header is as written by a little-endian machine, as all machines are
  ///   that Swift runs on.
  init?(_ bytes: Data) {
    pageByteCount = Int(bytes.number(at: 8))
    salt = bytes.salt(at: 16)
    checksum = WALChecksum(storedIn: bytes, at: 24)
    guard bytes.number(at: 0) == 0x377f_0682, bytes.number(at: 4) == 3_007_000,
      Self.pageByteCounts.contains(pageByteCount),
      checksum == WALChecksum().adding(bytes.prefix(24))
    else { return nil }
  }
}

/// A page as one commit wrote it, behind a header of its own.
struct WALFrame {
  static let headerByteCount = 24

  let page: Int
  /// The size of the database after the commit that this frame is the last of; 0 in other frames.
  let databasePageCount: Int
  let salt: UInt64
  let checksum: WALChecksum
  private let bytes: Data

  /// Reads the next frame; nil where no whole frame follows.
  init?(_ file: FileHandle, pageByteCount: Int) {
    guard let bytes = file.bytes(Self.headerByteCount + pageByteCount) else { return nil }
    self.bytes = bytes
    page = Int(bytes.number(at: 0))
    databasePageCount = Int(bytes.number(at: 4))
    salt = bytes.salt(at: 8)
    checksum = WALChecksum(storedIn: bytes, at: 16)
  }

  /// Whether it is the last frame of a commit.
  var isCommit: Bool { databasePageCount != 0 }
  var content: Data { bytes.dropFirst(Self.headerByteCount) }

  /// The checksum that the frame must have behind another frame, or the header.
  func checksum(following previous: WALChecksum) -> WALChecksum {
    previous.adding(bytes.prefix(8)).adding(content)
  }
}

/// The running checksum of a write-ahead log: two sums, each of words and of the other sum.
struct WALChecksum: Equatable {
  private var first: UInt32 = 0
  private var second: UInt32 = 0

  init() {}

  init(storedIn bytes: Data, at offset: Int) {
    (first, second) = (bytes.number(at: offset), bytes.number(at: offset + 4))
  }

  /// - Parameter bytes: pairs of little-endian words of 4 bytes.
  func adding(_ bytes: Data) -> WALChecksum {
    var sum = self
    bytes.withUnsafeBytes { bytes in
      for offset in stride(from: 0, to: bytes.count, by: 8) {
        let words = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
        sum.first &+= UInt32(truncatingIfNeeded: words) &+ sum.second
        sum.second &+= UInt32(truncatingIfNeeded: words >> 32) &+ sum.first
      }
    }
    return sum
  }
}

extension Data {
  /// A big-endian number of 4 bytes, as all numbers are but the words of checksums.
  fileprivate func number(at offset: Int) -> UInt32 {
    withUnsafeBytes { UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
  }

  fileprivate func salt(at offset: Int) -> UInt64 {
    UInt64(number(at: offset)) << 32 | UInt64(number(at: offset + 4))
  }
}

extension FileHandle {
  /// The next bytes; nil where fewer follow.
  func bytes(_ count: Int) -> Data? {
    let bytes = try? read(upToCount: count)
    return bytes?.count == count ? bytes : nil
  }
}
