import Foundation

/// The pages that the first commits of a log leave, whatever its header says.
///
/// A log is begun anew once all of it is in the file; then its header is written over, and synced
/// before any frame is. Where the power fails in between, the header may be no header, and the
/// frames behind it are worth nothing: the file has them all.
struct LoggedPages {
  /// What the last commit made of each page.
  private var hashes: [Int: UInt64] = [:]
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
      written[frame.page] = Self.hash(of: frame.content)
      guard frame.isCommit else { return }
      hashes.merge(written) { $1 }
      hashes = hashes.filter { $0.key <= frame.databasePageCount }
      written = [:]
    }
  }

  private static let storePageByteCount = 4096

  private static func hash(of content: UnsafeRawBufferPointer) -> UInt64 {
    var hash = WordHash()
    hash.add(content)
    return hash.value
  }

  /// Whether a database has each of them as it was written.
  ///
  /// - Precondition: This process does not have the database open, since closing the file here
  ///   would end its locks.
  func areIn(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return withUnsafeTemporaryAllocation(byteCount: pageByteCount, alignment: 16) { page in
      hashes.allSatisfy { number, hash in
        pread(descriptor, page.baseAddress, pageByteCount, off_t((number - 1) * pageByteCount))
          == pageByteCount && Self.hash(of: UnsafeRawBufferPointer(page)) == hash
      }
    }
  }
}
