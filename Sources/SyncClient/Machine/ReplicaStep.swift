import ListChanges
import ListModel

/// The way of a replica's copy from one verified state to the next.
public struct ReplicaStep: Equatable, Sendable {
  public enum Reason: Equatable, Sendable {
    /// Changes of the list.
    case changes
    /// The replica had nothing yet.
    case first
    /// What the replica had was pruned by the server: it has the whole list anew.
    case tooOld
    /// What the replica had is not of the server's history, as after a restored backup: it has the
    /// server's list now.
    case diverged
    /// The whole list was the shorter answer.
    case smaller
    /// An answer was wrong: the replica has the whole list anew.
    case mismatch(Mismatch)

    /// Whether the replica lost its place in the list's history.
    public var isStartedOver: Bool {
      switch self {
      case .changes, .first, .smaller: false
      case .tooOld, .diverged, .mismatch: true
      }
    }
  }

  public let before: ListCopy
  public let after: ListCopy
  /// The changes from before to after, whole lists compared where the server sent one.
  public let changes: ChangeSet<Item>
  public let reason: Reason
}
