import Foundation
import GitHistory
import SyncService
import Terminal

/// Tells, while an import goes on, how far it has come and what it skips.
///
/// Unchecked because what changes is guarded by the lock: the task that reads tells what it skips,
/// the one that stores how far it is.
final class ImportReport: @unchecked Sendable {
  struct Skip: Sendable {
    let commit: String
    let reason: String
  }

  let commitCount: Int
  private let lock = NSLock()
  private let progress = ProgressLine("importing")
  private var skips: [Skip] = []
  private var leftOut = 0

  init(commitCount: Int) { self.commitCount = commitCount }

  var skipped: [Skip] { lock.withLock { skips } }

  /// The items that the duplicate policy left out, in all versions together.
  var leftOutCount: Int { lock.withLock { leftOut } }

  func leaveOut(_ count: Int) { lock.withLock { leftOut += count } }

  func skip(_ revision: FileRevision, _ reason: String) {
    let isRepeated = lock.withLock {
      defer { skips.append(Skip(commit: revision.commit, reason: reason)) }
      return skips.last?.reason == reason
    }
    progress.finish()
    // A fault often stays in a file for many commits.
    let told = isRepeated ? " for the same reason" : ": \(reason)"
    Output.note("skipped commit \(revision.commit.prefix(12))\(told)")
  }

  func show(_ tally: ImportTally) {
    progress.show(
      "\(tally.stateCount) of \(commitCount) commits, "
        + "\(tally.stateCount * 100 / max(1, commitCount)) %")
  }

  func finish() { progress.finish() }
}
