/// What a write-ahead log holds, read without SQLite (section 4 of its file format).
///
/// SQLite plays a log back up to the first frame that is not what was written, and says nothing of
/// what lies behind it. That is right where a commit was cut off while it was written. With
/// `synchronous=FULL` only the last commit can be: where others lie behind such a frame, it was
/// damaged later, and versions would be lost whose commits had returned.
struct WriteAheadLog {
  /// A frame that is not what was written, though commits lie behind it.
  struct Damage: Equatable {
    /// From 1; nil for the header, without which SQLite plays nothing back.
    let frame: Int?
    let byteOffset: Int
    /// The commits that SQLite would drop without a word.
    let commitCount: Int
  }

  /// Its bytes change whenever the log starts anew.
  private(set) var header: [UInt8] = []
  /// The pages of the commits that SQLite plays back, and how many commits these are.
  private(set) var pageNumbers: Set<Int> = []
  private(set) var commitCount = 0
  private(set) var damage: Damage?

  /// Where two commits lie in one run of frames, each of which continues the one before, the first
  /// was on the disk before the second was written. A single one may be that which was cut off: its
  /// last frame can reach the disk before others.
  private static let commitCountOfDamage = 2

  /// - Returns: nil where there is no log.
  /// - Complexity: O(n) for a log of n bytes, which is read a frame at a time.
  init?(path: String) throws {
    guard let file = try LogFile(path: path) else { return nil }
    guard let header = file.header() else { return }
    self.header = header.bytes
    if header.isSound {
      readFrames(of: file, header)
    } else if let count = Self.commitCountWithoutHeader(in: file) {
      damage = Damage(frame: nil, byteOffset: 0, commitCount: count)
    }
  }

  private mutating func readFrames(of file: LogFile, _ header: LogHeader) {
    var run = FrameRun(checksum: header.checksum)
    var pages: Set<Int> = []
    var bad: LogFrame?
    var (commitsBehind, longestRun) = (0, 0)
    file.forEachFrame(header.layout) { frame in
      let isOfThisLog = frame.salt == header.salt
      if bad == nil {
        if isOfThisLog, run.takes(frame) {
          pages.insert(frame.page)
          guard frame.isCommit else { return }
          pageNumbers.formUnion(pages)
          commitCount += 1
          return
        }
        bad = frame
        if !isOfThisLog { run = FrameRun(from: frame) }
      } else if isOfThisLog {
        _ = run.takes(frame)
      } else {
        // What is left of an earlier log is not looked into.
        run = FrameRun(checksum: frame.checksum)
      }
      longestRun = max(longestRun, run.commitCount)
      commitsBehind += frame.isCommit && isOfThisLog ? 1 : 0
    }
    if let bad, longestRun >= Self.commitCountOfDamage {
      damage = Damage(
        frame: bad.number, byteOffset: bad.byteOffset,
        commitCount: max(commitsBehind, longestRun))
    }
  }

  /// How many commits lie one after the other in a log whose header is not what was written; nil
  /// where they are too few to have been more than what was cut off.
  private static func commitCountWithoutHeader(in file: LogFile) -> Int? {
    for pageByteCount in (9...16).map({ 1 << $0 }) {
      for isBigEndian in [false, true] {
        var run = FrameRun(checksum: LogChecksum())
        var (salt, longestRun) = (UInt64(0), 0)
        let layout = LogLayout(pageByteCount: pageByteCount, isBigEndian: isBigEndian)
        file.forEachFrame(layout) { frame in
          if frame.salt == salt { _ = run.takes(frame) } else { run = FrameRun(from: frame) }
          salt = frame.salt
          longestRun = max(longestRun, run.commitCount)
        }
        if longestRun >= commitCountOfDamage { return longestRun }
      }
    }
    return nil
  }
}

/// Frames one after the other of which each continues the checksum of the one before.
private struct FrameRun {
  /// As the last frame has it.
  private var checksum: LogChecksum
  /// As the last frame should have it, where that is not the same.
  private var madeChecksum: LogChecksum?
  private(set) var commitCount = 0

  init(checksum: LogChecksum) { self.checksum = checksum }

  /// A run that starts with a frame, whatever that is worth.
  init(from frame: LogFrame) { (checksum, commitCount) = (frame.checksum, frame.isCommit ? 1 : 0) }

  /// Whether the next frame continues the run; else another run starts with it.
  mutating func takes(_ frame: LogFrame) -> Bool {
    let made = frame.checksum(following: checksum)
    let isSound =
      frame.checksum == made
      || madeChecksum.map { frame.checksum == frame.checksum(following: $0) } ?? false
    if !isSound { commitCount = 0 }
    commitCount += frame.isCommit ? 1 : 0
    (checksum, madeChecksum) = (frame.checksum, isSound ? nil : made)
    return isSound
  }
}
