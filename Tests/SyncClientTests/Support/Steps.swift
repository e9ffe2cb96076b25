import ListModel

@testable import SyncClient

extension ReplicaStep {
  /// The step between two copies.
  init(from before: ListCopy, to after: ListCopy, _ reason: Reason = .changes) {
    self.init(
      before: before, after: after, changes: before.snapshot.changes(to: after.snapshot),
      reason: reason)
  }
}
