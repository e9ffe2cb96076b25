import Foundation
import GRDBSQLite

/// An open file, and what is known of its checksums. SQLite asks one thing of a file at a time.
final class ChecksumFile {
  /// The same file as the system's own layer has it.
  let lower: UnsafeMutablePointer<sqlite3_file>
  /// The full path of a database; nil for a log, a journal or a temporary file, whose bytes are
  /// left as they are.
  private let path: String?
  private var isChecked = false
  private var pageByteCount = 0
  private var scratch: UnsafeMutableRawPointer?

  /// What SQLite is told of a page whose checksum is wrong: it ends the statement. (The code that
  /// SQLite has for it, an I/O error, would end the whole transaction, and with it the look at what
  /// is not damaged.) The extended code is none of SQLite's.
  static let wrongChecksum = SQLITE_CORRUPT | (100 << 8)
  private static let shortRead = SQLITE_IOERR | (2 << 8)

  init(lower: UnsafeMutablePointer<sqlite3_file>, path: String?) {
    self.lower = lower
    self.path = path
  }

  deinit {
    scratch?.deallocate()
    UnsafeMutableRawPointer(lower).deallocate()
  }

  var methods: sqlite3_io_methods { lower.pointee.pMethods.pointee }

  // MARK: Reading

  func read(into buffer: UnsafeMutableRawPointer, byteCount: Int, at offset: Int) -> Int32 {
    let code = readBelow(into: buffer, byteCount: byteCount, at: offset)
    guard let path, code == SQLITE_OK || code == Self.shortRead else { return code }
    if offset == 0, byteCount >= DatabaseHeader.byteCount, code == SQLITE_OK {
      learn(DatabaseHeader(buffer))
    } else if !isChecked {
      _ = learnFromFile()
    }
    guard isChecked else { return code }
    if isPage(byteCount, at: offset) {
      return verified(code, buffer, byteCount: byteCount, at: offset, of: path)
    }
    return readPart(code, into: buffer, byteCount: byteCount, at: offset, of: path)
  }

  /// Reads a part of a page from the whole, as SQLite may do where a long value fills pages. The
  /// first page has parts that are read before anything is known.
  private func readPart(
    _ code: Int32, into buffer: UnsafeMutableRawPointer, byteCount: Int, at offset: Int,
    of path: String
  ) -> Int32 {
    let start = offset / pageByteCount * pageByteCount
    guard start > 0, offset + byteCount <= start + pageByteCount else { return code }
    let page = room()
    let whole = readBelow(into: page, byteCount: pageByteCount, at: start)
    let result = verified(whole, page, byteCount: pageByteCount, at: start, of: path)
    guard result == SQLITE_OK else { return result }
    buffer.copyMemory(from: page + (offset - start), byteCount: byteCount)
    return SQLITE_OK
  }

  /// The code for a page that was read; a page that the file is too short for is damaged, too.
  private func verified(
    _ code: Int32, _ page: UnsafeMutableRawPointer, byteCount: Int, at offset: Int, of path: String
  ) -> Int32 {
    let number = offset / byteCount + 1
    var code = code
    // Whoever looks whether there is a write-ahead log may meet the first page while it is written.
    for waitMilliseconds in [0, 1, 2, 5] {
      if waitMilliseconds > 0 {
        usleep(UInt32(waitMilliseconds) * 1000)
        code = readBelow(into: page, byteCount: byteCount, at: offset)
      }
      if code == SQLITE_OK, Self.stored(page, byteCount) == checksum(page, byteCount, number) {
        return SQLITE_OK
      }
      guard code == SQLITE_OK || code == Self.shortRead else { return code }
    }
    DamageLog.note(DamagedPages(numbers: number...number, pageByteCount: byteCount), in: path)
    return Self.wrongChecksum
  }

  // MARK: Writing

  func write(_ bytes: UnsafeRawPointer, byteCount: Int, at offset: Int) -> Int32 {
    guard path != nil, Self.isPageSize(byteCount), offset % byteCount == 0 else {
      return writeBelow(bytes, byteCount: byteCount, at: offset)
    }
    // A file that has nothing in it yet becomes a store.
    var isNew = false
    if offset == 0 {
      learn(DatabaseHeader(bytes))
    } else if !isChecked {
      isNew = learnFromFile()
    }
    guard isNew || (isChecked && byteCount == pageByteCount) else {
      return writeBelow(bytes, byteCount: byteCount, at: offset)
    }
    let page = room()
    page.copyMemory(from: bytes, byteCount: byteCount)
    let sum = checksum(page, byteCount, offset / byteCount + 1)
    (page + byteCount - PageChecksum.byteCount).storeBytes(of: sum.littleEndian, as: UInt64.self)
    return writeBelow(page, byteCount: byteCount, at: offset)
  }

  // MARK: Checksums

  private func learn(_ header: DatabaseHeader?) {
    guard let header else { return }
    isChecked = header.hasPageChecksums
    pageByteCount = header.pageByteCount
  }

  /// Another connection may have made the database, or brought it up to date, since this one last
  /// looked.
  ///
  /// - Returns: whether there is no database yet.
  private func learnFromFile() -> Bool {
    let header = room()
    let code = readBelow(into: header, byteCount: DatabaseHeader.byteCount, at: 0)
    if code == SQLITE_OK { learn(DatabaseHeader(header)) }
    return code == Self.shortRead
  }

  private func isPage(_ byteCount: Int, at offset: Int) -> Bool {
    byteCount == pageByteCount && offset % byteCount == 0
  }

  private static func isPageSize(_ byteCount: Int) -> Bool {
    (512...65_536).contains(byteCount) && byteCount & (byteCount - 1) == 0
  }

  private func checksum(
    _ page: UnsafeMutableRawPointer, _ byteCount: Int, _ number: Int
  ) -> UInt64 {
    var words = UnsafeRawPointer(page)
    if UInt(bitPattern: page) % 8 != 0 {
      words = UnsafeRawPointer(room())
      room().copyMemory(from: page, byteCount: byteCount)
    }
    return PageChecksum.of(
      words.assumingMemoryBound(to: UInt64.self), byteCount: byteCount, number: number)
  }

  private static func stored(_ page: UnsafeMutableRawPointer, _ byteCount: Int) -> UInt64 {
    UInt64(
      littleEndian: page.loadUnaligned(
        fromByteOffset: byteCount - PageChecksum.byteCount, as: UInt64.self))
  }

  /// Room for one page of any size.
  private func room() -> UnsafeMutableRawPointer {
    if let scratch { return scratch }
    let made = UnsafeMutableRawPointer.allocate(byteCount: 65_536, alignment: 16)
    scratch = made
    return made
  }

  private func readBelow(
    into buffer: UnsafeMutableRawPointer, byteCount: Int, at offset: Int
  ) -> Int32 {
    methods.xRead(lower, buffer, Int32(byteCount), Int64(offset))
  }

  private func writeBelow(_ bytes: UnsafeRawPointer, byteCount: Int, at offset: Int) -> Int32 {
    methods.xWrite(lower, bytes, Int32(byteCount), Int64(offset))
  }
}
