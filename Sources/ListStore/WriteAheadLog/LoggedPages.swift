import GRDB
import GRDBSQLite

/// The pages that the first commits of a log leave, whatever its header says.
///
/// A log is begun anew once all of it is in the file; then its header is written over, and synced
/// before any frame is. Where the power fails in between, the header may be no header, and the
/// frames behind it are worth nothing: the file has them all.
struct LoggedPages {
  /// What the last commit made of each page.
  private var checksums: [Int: UInt64] = [:]
  private var pageByteCount = 0

  /// - Returns: nil where there is no log.
  /// - Complexity: O(n) for a log of n bytes.
  init?(path: String) throws {
    guard let file = try LogFile(path: path) else { return nil }
    // Logs of stores have pages of the size that SQLite gives where nothing else is asked for.
    pageByteCount = Self.storePageByteCount
    var (written, salt, isOver) = ([Int: UInt64](), UInt64?.none, false)
    let layout = LogLayout(pageByteCount: pageByteCount, isBigEndian: false)
    file.forEachFrame(layout) { frame in
      isOver = isOver || frame.salt != salt ?? frame.salt
      if isOver { return }
      salt = frame.salt
      written[frame.page] = Self.checksum(of: frame)
      guard frame.isCommit else { return }
      checksums.merge(written) { $1 }
      checksums = checksums.filter { $0.key <= frame.databasePageCount }
      written = [:]
    }
  }

  private static let storePageByteCount = 4096

  private static func checksum(of frame: LogFrame) -> UInt64 {
    let content = frame.content
    return content.withMemoryRebound(to: UInt64.self) { words in
      words.baseAddress.map {
        PageChecksum.of($0, byteCount: content.count, number: frame.page)
      } ?? 0
    }
  }

  /// Whether a database has each of them as it was written.
  ///
  /// It is read through the connection's own file: to close another one would end the locks of this
  /// process.
  func areIn(_ db: Database) -> Bool {
    var pointer: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &pointer)
    guard let file = pointer, let methods = file.pointee.pMethods else { return false }
    let page = UnsafeMutableRawPointer.allocate(byteCount: pageByteCount, alignment: 16)
    defer { page.deallocate() }
    return checksums.allSatisfy { number, checksum in
      let offset = Int64((number - 1) * pageByteCount)
      guard methods.pointee.xRead(file, page, Int32(pageByteCount), offset) == SQLITE_OK else {
        return false
      }
      let place = page + (pageByteCount - PageChecksum.byteCount)
      return UInt64(littleEndian: place.loadUnaligned(as: UInt64.self)) == checksum
    }
  }
}
