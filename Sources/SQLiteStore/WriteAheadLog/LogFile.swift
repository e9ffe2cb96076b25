import Foundation
import ListStore

/// How the frames of a log lie: each a header and a page.
struct LogLayout: Equatable {
  static let frameHeaderByteCount = 24

  let pageByteCount: Int
  /// Of the words that checksums are made of; all other numbers are big-endian.
  let isBigEndian: Bool

  var frameByteCount: Int { Self.frameHeaderByteCount + pageByteCount }
}

/// What stands before the frames.
struct LogHeader {
  static let byteCount = 32

  let bytes: [UInt8]
  let layout: LogLayout
  /// Which frames are of this log: what is left of an earlier one has another.
  let salt: UInt64
  let checksum: LogChecksum
  /// Whether it is what was written.
  let isSound: Bool

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    (layout, salt, checksum, isSound) = bytes.withUnsafeBytes { bytes in
      let (magic, pageByteCount) = (bytes.integer(at: 0), Int(bytes.integer(at: 8)))
      let layout = LogLayout(pageByteCount: pageByteCount, isBigEndian: magic & 1 == 1)
      let checksum = LogChecksum(storedIn: bytes, at: 24)
      var made = LogChecksum()
      made.add(UnsafeRawBufferPointer(rebasing: bytes[0..<24]), isBigEndian: layout.isBigEndian)
      let isKnown = magic & ~1 == 0x377f_0682 && bytes.integer(at: 4) == 3_007_000
      let isSize = (512...65_536).contains(pageByteCount) && pageByteCount.nonzeroBitCount == 1
      let salt = UInt64(bytes.integer(at: 16)) << 32 | UInt64(bytes.integer(at: 20))
      return (layout, salt, checksum, isKnown && isSize && made == checksum)
    }
  }
}

/// A page as one commit wrote it.
struct LogFrame {
  /// From 1.
  let number: Int
  let byteOffset: Int
  private let bytes: UnsafeRawBufferPointer
  private let isBigEndian: Bool

  /// - Parameter bytes: the whole frame, valid as long as this is used for more than its header.
  init(number: Int, byteOffset: Int, bytes: UnsafeRawBufferPointer, isBigEndian: Bool) {
    (self.number, self.byteOffset, self.isBigEndian) = (number, byteOffset, isBigEndian)
    self.bytes = bytes
    page = Int(bytes.integer(at: 0))
    databasePageCount = Int(bytes.integer(at: 4))
    salt = UInt64(bytes.integer(at: 8)) << 32 | UInt64(bytes.integer(at: 12))
    checksum = LogChecksum(storedIn: bytes, at: 16)
  }

  let page: Int
  /// The size of the database behind the commit that this frame is the last of; 0 in all others.
  let databasePageCount: Int
  /// Whether it is the last frame of a commit.
  var isCommit: Bool { databasePageCount != 0 }
  let salt: UInt64
  let checksum: LogChecksum

  /// The page that was written, valid as long as the bytes are.
  var content: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[LogLayout.frameHeaderByteCount...])
  }

  /// What its checksum is to be, behind a frame or header with one.
  func checksum(following previous: LogChecksum) -> LogChecksum {
    var made = previous
    made.add(UnsafeRawBufferPointer(rebasing: bytes[0..<8]), isBigEndian: isBigEndian)
    made.add(content, isBigEndian: isBigEndian)
    return made
  }
}

/// The running checksum of a log: two sums, each of words and of the other.
struct LogChecksum: Equatable {
  private var first: UInt32 = 0
  private var second: UInt32 = 0

  init() {}

  init(storedIn bytes: UnsafeRawBufferPointer, at offset: Int) {
    (first, second) = (bytes.integer(at: offset), bytes.integer(at: offset + 4))
  }

  /// - Parameter bytes: as many as some pairs of 4-byte words have.
  mutating func add(_ bytes: UnsafeRawBufferPointer, isBigEndian: Bool) {
    guard let start = bytes.baseAddress else { return }
    for offset in stride(from: 0, to: bytes.count, by: 8) {
      let one = start.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      let other = start.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
      first &+= (isBigEndian ? UInt32(bigEndian: one) : UInt32(littleEndian: one)) &+ second
      second &+= (isBigEndian ? UInt32(bigEndian: other) : UInt32(littleEndian: other)) &+ first
    }
  }
}

extension UnsafeRawBufferPointer {
  /// A big-endian number of 4 bytes.
  fileprivate func integer(at offset: Int) -> UInt32 {
    UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}

/// The file of a log, open to be read. (SQLite locks nothing in it, so that it may be closed while
/// the store is open.)
final class LogFile {
  private let descriptor: Int32
  private var buffer = [UInt8](repeating: 0, count: 1 << 16 + LogLayout.frameHeaderByteCount)

  /// - Returns: nil where there is no file.
  init?(path: String) throws {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor < 0 else { return }
    if errno == ENOENT { return nil }
    throw StoreError.cannotOpen(path: path, reason: String(cString: strerror(errno)))
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Nil where the file is too short for one.
  func header() -> LogHeader? {
    buffer.withUnsafeMutableBytes { buffer in
      let start = UnsafeMutableRawBufferPointer(rebasing: buffer[0..<LogHeader.byteCount])
      return read(into: start, at: 0) ? LogHeader(Array(start)) : nil
    }
  }

  /// Calls a body with each whole frame.
  func forEachFrame(_ layout: LogLayout, _ body: (LogFrame) -> Void) {
    var (number, offset) = (1, LogHeader.byteCount)
    buffer.withUnsafeMutableBytes { buffer in
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[0..<layout.frameByteCount])
      while read(into: room, at: offset) {
        body(
          LogFrame(
            number: number, byteOffset: offset, bytes: UnsafeRawBufferPointer(room),
            isBigEndian: layout.isBigEndian))
        number += 1
        offset += layout.frameByteCount
      }
    }
  }

  /// Whether there were as many bytes.
  private func read(into room: UnsafeMutableRawBufferPointer, at offset: Int) -> Bool {
    var count = 0
    while count < room.count {
      guard let start = room.baseAddress else { return false }
      let got = pread(descriptor, start + count, room.count - count, off_t(offset + count))
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { return false }
      count += got
    }
    return true
  }
}
