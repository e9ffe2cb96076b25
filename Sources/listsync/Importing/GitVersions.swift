import GitHistory
import ListDocuments
import ListModel
import SyncService

/// The commits of a file, each read as a snapshot for an import.
struct GitVersions: ImportSource {
  private let path: String
  private var reader: SnapshotSeriesReader
  private let limits: Limits
  private let isStrict: Bool
  private let missing: Set<String>
  private let report: ImportReport
  private var revisions: ArraySlice<FileRevision>
  private var contents: BlobReader
  /// The last content that was read, and the reason if it was refused.
  private var last: (blob: String, refusal: String?)?

  /// - Parameter missing: the contents that the repository does not hold; their commits are
  ///   skipped.
  init(
    _ history: [FileRevision], of path: String, in repository: GitRepository,
    options: SnapshotOptions, isStrict: Bool, missing: Set<String>, report: ImportReport
  ) throws {
    self.path = path
    reader = SnapshotSeriesReader(options: options)
    self.isStrict = isStrict
    self.missing = missing
    self.report = report
    revisions = history[...]
    // A content that stays the same, as when a file's mode changes, is read once.
    var blobs: [String] = []
    for revision in history where Self.time(of: revision) != nil {
      guard let blob = revision.blob, blob != blobs.last, !missing.contains(blob) else { continue }
      blobs.append(blob)
    }
    limits = options.limits
    contents = try BlobReader(blobs, in: repository, byteLimit: limits[.commitBytes])
  }

  /// - Throws: `GitError`; `VerbError.refusedCommit` if every commit must be a snapshot.
  mutating func next() throws -> ImportedState? {
    guard let revision = revisions.popFirst() else { return nil }
    switch revision.content {
    case .removed:
      return skip(revision, "it removes the file")
    case .symbolicLink: return try refuse(revision, "\(path) is a symbolic link")
    case .submodule: return try refuse(revision, "\(path) is a submodule")
    case .blob(let blob) where missing.contains(blob):
      return skip(revision, "the repository does not hold \(path) of it")
    case .blob(let blob):
      guard let time = Self.time(of: revision) else {
        return try refuse(
          revision, "its committer's date is unreadable, or not in the years 1 to 9999")
      }
      return try state(of: revision, blob, at: time)
    }
  }

  private mutating func state(
    of revision: FileRevision, _ blob: String, at time: Timestamp
  ) throws -> ImportedState? {
    if last?.blob != blob {
      last = (blob, nil)
      do {
        let bytes = try nextContent()
        let version = try version(
          bytes, CommitNote(time: time, author: revision.author, message: revision.message))
        return ImportedState(position: revision.commit, content: version, byteCount: bytes.count)
      } catch let refusal as Refusal {
        last = (blob, refusal.reason)
      }
    }
    if let reason = last?.refusal { return try refuse(revision, reason) }
    return ImportedState(position: revision.commit, content: .unchanged)
  }

  private mutating func nextContent() throws -> [UInt8] {
    do throws(GitError) {
      if let bytes = try contents.next() { return bytes }
    } catch {
      switch error {
      case .tooLarge(_, let byteCount):
        let exceeded = ExceededLimit(.commitBytes, bound: limits[.commitBytes], found: byteCount)
        throw Refusal(reason: "\(path): \(exceeded)")
      case .noBlob: throw Refusal(reason: "\(path): \(error)")
      default: throw error
      }
    }
    preconditionFailure("every content was requested")
  }

  private struct Refusal: Error {
    let reason: String
  }

  private mutating func version(
    _ bytes: [UInt8], _ note: CommitNote
  ) throws(Refusal) -> ImportedState.Content {
    if bytes.starts(with: Self.pointerStart) {
      throw Refusal(
        reason: "\(path) is a Git LFS pointer; the repository does not contain the file")
    }
    do {
      let read = try reader.read(bytes, fileName: path)
      report.leaveOut(read.leftOutCount)
      return .version(read.snapshot, note)
    } catch {
      throw Refusal(reason: Failure(error, in: path).message)
    }
  }

  private static let pointerStart = Array("version https://git-lfs.github.com/spec/".utf8)
  private static let years1To9999InSeconds: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  /// The committer's date; nil if no version can have it.
  private static func time(of revision: FileRevision) -> Timestamp? {
    guard let seconds = revision.committedAtSeconds, years1To9999InSeconds.contains(seconds)
    else { return nil }
    return Timestamp(millisecondsSince1970: seconds * 1000)
  }

  private func refuse(_ revision: FileRevision, _ reason: String) throws -> ImportedState {
    if isStrict { throw VerbError.refusedCommit(revision.commit, reason: reason) }
    return skip(revision, reason)
  }

  private func skip(_ revision: FileRevision, _ reason: String) -> ImportedState {
    report.skip(revision, reason)
    return ImportedState(position: revision.commit, content: .skipped)
  }
}
