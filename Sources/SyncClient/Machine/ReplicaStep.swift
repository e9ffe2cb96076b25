import ListChanges
import ListModel

/// The step of a replica's copy from one verified state to the next.
public struct ReplicaStep: Equatable, Sendable {
  public enum Reason: Equatable, Sendable {
    /// The list changed.
    case changes
    /// The replica had no list before.
    case first
    /// The replica's version was pruned; it got the whole list.
    case tooOld
    /// The replica's version is not of the server's history, as after a restored backup; it got the
    /// whole list.
    case diverged
    /// The whole list was the shorter answer.
    case smaller
    /// An answer was wrong; the replica got the whole list.
    case mismatch(Mismatch)

    /// Whether the step does not follow the list's history.
    public var isStartedOver: Bool {
      switch self {
      case .changes, .first, .smaller: false
      case .tooOld, .diverged, .mismatch: true
      }
    }
  }

  public let before: ListCopy
  public let after: ListCopy
  /// The changes from `before` to `after`. After a whole list, both are compared.
  public let changes: ChangeSet<Item>
  public let reason: Reason
}
