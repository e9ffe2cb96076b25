import Foundation

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
  func areIn(_ path: String) throws -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    return try checksums.allSatisfy { number, checksum in
      try file.seek(toOffset: UInt64(number * pageByteCount - PageChecksum.byteCount))
      let stored = try file.read(upToCount: PageChecksum.byteCount) ?? Data()
      return stored.elementsEqual(withUnsafeBytes(of: checksum.littleEndian, Array.init))
    }
  }
}
