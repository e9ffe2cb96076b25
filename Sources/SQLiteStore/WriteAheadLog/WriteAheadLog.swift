import Foundation
import ListStore

/// A write-ahead log, read without SQLite to find damage in its middle.
///
/// SQLite recovers a write-ahead log up to the first frame that is not as written, and ignores the
/// frames behind it. That is right for a commit that a power cut interrupted. With
/// `synchronous=FULL` only the last commit can be interrupted. If commits lie behind such a frame,
/// the frame was damaged later, and recovery would lose acknowledged versions.
struct WriteAheadLog {
  /// A frame that is not as written, with commits behind it.
  struct Damage: Equatable {
    /// From 1; nil for the header, without which SQLite recovers nothing.
    let frame: Int?
    let byteOffset: Int
    /// The commits that SQLite would drop silently.
    let commitCount: Int
  }

  /// Its bytes change whenever SQLite restarts the write-ahead log; empty where there is none.
  private(set) var header: [UInt8] = []
  /// The commits that SQLite recovers.
  private(set) var commitCount = 0
  private(set) var damage: Damage?
  /// Pages as the commits left them; nil unless the header is damaged.
  private(set) var pages: LoggedPages?

  /// A run of frames with two commits proves damage: the first commit was on the disk before the
  /// second was written. A single commit may be the interrupted one, since its last frame can reach
  /// the disk before the others.
  private static let provingCommitCount = 2

  /// - Returns: nil where there is no file.
  /// - Complexity: O(n) for a write-ahead log of n bytes, read one frame at a time.
  init?(path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 {
      if errno == ENOENT { return nil }
      throw StoreError.cannotOpen(store: path, reason: String(cString: strerror(errno)))
    }
    // SQLite holds no locks on this file, so closing it here is safe while a store is open.
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard let bytes = file.bytes(WALHeader.byteCount) else { return }
    header = Array(bytes)
    if let header = WALHeader(bytes) {
      readFrames(of: file, header)
    } else {
      for pageByteCount in WALHeader.pageByteCounts where damage == nil {
        try file.seek(toOffset: UInt64(WALHeader.byteCount))
        readFramesWithoutHeader(of: file, pageByteCount)
      }
    }
  }

  private mutating func readFrames(of file: FileHandle, _ header: WALHeader) {
    var run = FrameRun(checksum: header.checksum)
    var (number, badFrame, longestRun, commitsBehind) = (0, Int?.none, 0, 0)
    while let frame = WALFrame(file, pageByteCount: header.pageByteCount) {
      number += 1
      // Frames of an earlier write-ahead log may follow; they have another salt.
      let isOwn = frame.salt == header.salt
      let continuesRun = run.add(frame)
      if badFrame == nil {
        if isOwn, continuesRun {
          commitCount = run.commitCount
          continue
        }
        badFrame = number
        if continuesRun { run = FrameRun(startingWith: frame) }
        commitsBehind = frame.isCommit && !isOwn ? 1 : 0
      }
      guard isOwn else { continue }
      longestRun = max(longestRun, run.commitCount)
      commitsBehind += frame.isCommit ? 1 : 0
    }
    if let badFrame, longestRun >= Self.provingCommitCount {
      let frameByteCount = WALFrame.headerByteCount + header.pageByteCount
      damage = Damage(
        frame: badFrame, byteOffset: WALHeader.byteCount + (badFrame - 1) * frameByteCount,
        commitCount: commitsBehind)
    }
  }
  /// Looks for commits behind a damaged header, as if pages had some size.
  private mutating func readFramesWithoutHeader(of file: FileHandle, _ pageByteCount: Int) {
    var run = FrameRun()
    var longestRun = 0
    var pages = LoggedPages(pageByteCount: pageByteCount)
    while let frame = WALFrame(file, pageByteCount: pageByteCount) {
      run.add(frame)
      longestRun = max(longestRun, run.commitCount)
      pages.add(frame)
    }
    guard longestRun >= Self.provingCommitCount else { return }
    damage = Damage(frame: nil, byteOffset: 0, commitCount: longestRun)
    self.pages = pages
  }
}

/// Consecutive frames, each of which continues the checksum of the frame before.
private struct FrameRun {
  /// As the last frame has it.
  private var checksum: WALChecksum
  /// As computed for the last frame, where that differs: the damage may be in the checksum itself.
  private var computedChecksum: WALChecksum?
  private(set) var commitCount = 0

  init(checksum: WALChecksum = WALChecksum()) { self.checksum = checksum }

  init(startingWith frame: WALFrame) {
    (checksum, commitCount) = (frame.checksum, frame.isCommit ? 1 : 0)
  }

  /// - Returns: whether the frame continues the run; otherwise a new run starts with it.
  @discardableResult
  mutating func add(_ frame: WALFrame) -> Bool {
    let computed = frame.checksum(following: checksum)
    let continues =
      frame.checksum == computed
      || computedChecksum.map { frame.checksum == frame.checksum(following: $0) } ?? false
    if !continues { commitCount = 0 }
    commitCount += frame.isCommit ? 1 : 0
    (checksum, computedChecksum) = (frame.checksum, continues ? nil : computed)
    return continues
  }
}

/// Pages as the first commits of a write-ahead log left them, whatever its header says.
///
/// SQLite restarts a write-ahead log when the database file holds all of it: it overwrites the
/// header, and syncs it before it writes a frame. A power cut in between can damage the header. The
/// frames are then worth nothing, since the file has their pages.
struct LoggedPages {
  private let pageByteCount: Int
  private var salt: UInt64?
  private var hashes: [Int: UInt64] = [:]
  /// Of the commit whose last frame was not read yet.
  private var pending: [Int: UInt64] = [:]

  fileprivate init(pageByteCount: Int) { self.pageByteCount = pageByteCount }

  fileprivate mutating func add(_ frame: WALFrame) {
    salt = salt ?? frame.salt
    guard frame.salt == salt else { return }
    pending[frame.page] = Self.hash(of: frame.content)
    guard frame.isCommit else { return }
    hashes.merge(pending) { $1 }
    hashes = hashes.filter { $0.key <= frame.databasePageCount }
    pending = [:]
  }

  private static func hash(of page: Data) -> UInt64 {
    var hash = WordHash()
    page.withUnsafeBytes { hash.add($0) }
    return hash.value
  }

  /// Whether a database file holds all of the pages.
  ///
  /// - Precondition: This process does not have the database open, since closing the file here
  ///   would release its locks.
  func areStored(in path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    return hashes.allSatisfy { number, hash in
      try? file.seek(toOffset: UInt64(number - 1) * UInt64(pageByteCount))
      return file.bytes(pageByteCount).map { Self.hash(of: $0) == hash } ?? false
    }
  }
}
