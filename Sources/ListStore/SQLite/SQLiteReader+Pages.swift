import GRDB
import GRDBSQLite

/// Every page of the file, those included that hold nothing.
extension SQLiteReader {
  /// What is wrong with the file as a whole: pages without their checksums; else what SQLite's own
  /// check finds.
  func integrityProblems() throws -> [String] {
    let pages = try damagedPages()
    guard pages.isEmpty else { return pages.map { $0.reason() } }
    let lines = try String.fetchAll(db, sql: "PRAGMA integrity_check")
    return lines == ["ok"] ? [] : lines
  }

  private func damagedPages() throws -> [DamagedPages] {
    // Through the connection's own file: to close another one would end the locks of this process.
    var pointer: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &pointer)
    guard let file = pointer, let methods = file.pointee.pMethods else { return [] }
    let pageByteCount = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
    var fileByteCount: Int64 = 0
    guard methods.pointee.xFileSize(file, &fileByteCount) == SQLITE_OK else {
      throw StoreError.inputOutput(reason: "the system does not tell the size of the file")
    }
    let page = UnsafeMutableRawPointer.allocate(byteCount: pageByteCount, alignment: 16)
    defer { page.deallocate() }
    var damaged: [DamagedPages] = []
    // A page that a commit in the log wrote is taken from there: the file may hold half of it, where
    // the power failed while the log was folded in.
    lazy var logged = (try? loggedPages()) ?? []
    let pageCount = (Int(fileByteCount) + pageByteCount - 1) / pageByteCount
    for number in 1..<(pageCount + 1) where number != Self.lockPage(of: pageByteCount) {
      let offset = Int64((number - 1) * pageByteCount)
      switch methods.pointee.xRead(file, page, Int32(pageByteCount), offset) {
      case SQLITE_OK: continue
      case ChecksumFile.wrongChecksum where logged.contains(number): continue
      case ChecksumFile.wrongChecksum: Self.add(number, pageByteCount, to: &damaged)
      case let code: throw DatabaseError(resultCode: ResultCode(rawValue: code))
      }
    }
    return damaged
  }

  private func loggedPages() throws -> Set<Int> {
    guard let path = sqlite3_db_filename(db.sqliteConnection, "main") else { return [] }
    return try WriteAheadLog(path: String(cString: path) + "-wal")?.pageNumbers ?? []
  }

  private static func add(
    _ number: Int, _ pageByteCount: Int, to damaged: inout [DamagedPages]
  ) {
    if let last = damaged.indices.last, damaged[last].numbers.upperBound == number - 1 {
      damaged[last].numbers = damaged[last].numbers.lowerBound...number
    } else {
      damaged.append(DamagedPages(numbers: number...number, pageByteCount: pageByteCount))
    }
  }

  /// SQLite locks bytes of this page and never writes it.
  private static func lockPage(of pageByteCount: Int) -> Int { 0x4000_0000 / pageByteCount + 1 }
}
