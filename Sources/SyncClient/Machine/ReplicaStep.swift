import ListChanges
import ListModel

/// The step of a replica's copy from one verified state to the next.
public struct ReplicaStep: Equatable, Sendable {
  public enum Reason: Equatable, Sendable {
    /// The list changed.
    case changes
    /// The replica got the whole list.
    case wholeList(WholeListReason)
    /// An answer was wrong; the replica got the whole list.
    case mismatch(Mismatch)

    /// Whether the step does not follow the list's history.
    public var isStartedOver: Bool {
      switch self {
      case .changes, .wholeList(.first), .wholeList(.smaller): false
      case .wholeList(.tooOld), .wholeList(.diverged), .mismatch: true
      }
    }

    /// Whether the server has another history than the copy had.
    var hasDiverged: Bool { self == .wholeList(.diverged) }
  }

  public let before: ListCopy
  public let after: ListCopy
  /// The changes from `before` to `after`. When the whole list was sent, they come from comparing
  /// both.
  public let changes: ChangeSet<Item>
  public let reason: Reason

  /// The same step over other rows of the same copy.
  func over(_ copy: ListCopy) throws -> ReplicaStep {
    guard case .rows = after.list else { return self }
    return ReplicaStep(
      before: copy, after: try copy.applying(changes, to: after), changes: changes, reason: reason)
  }
}
