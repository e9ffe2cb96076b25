import GitHistory
import SyncService
import Synchronization

/// Reports the progress of an import and the commits that it skips.
final class ImportReport: Sendable {
  typealias Skip = (commit: String, reason: String)

  let commitCount: Int
  private let progress = ProgressLine("importing")
  private let counts = Mutex((skips: [Skip](), leftOut: 0))

  init(commitCount: Int) { self.commitCount = commitCount }

  var skipped: [Skip] { counts.withLock { $0.skips } }

  /// The number of items that the duplicate policy left out of all versions.
  var leftOutCount: Int { counts.withLock { $0.leftOut } }

  func leaveOut(_ count: Int) { counts.withLock { $0.leftOut += count } }

  func skip(_ revision: FileRevision, _ reason: String) {
    let isRepeated = counts.withLock { counts in
      defer { counts.skips.append((revision.commit, reason)) }
      return counts.skips.last?.reason == reason
    }
    progress.finish()
    // An error in a file often stays for many commits.
    let text = isRepeated ? " for the same reason" : ": \(reason)"
    Output.diagnostic("skipped commit \(revision.commit.prefix(12))\(text)")
  }

  func show(_ tally: ImportTally) {
    progress.show(
      "\(tally.stateCount) of \(commitCount) commits, "
        + "\(tally.stateCount * 100 / max(1, commitCount)) %")
  }

  func finish() { progress.finish() }
}
