import ListDocuments
import ListModel
import SyncService

/// Problems tell where the list stands, so that a client can go on.
extension SyncServer {
  /// The error with the head and the oldest version of the list that the call names.
  func withState(of call: Call, _ error: any Error) -> any Error {
    guard var problem = Problem(error), let list = try? call.listName(),
      let summary = board.head(of: list)
    else { return error }
    switch problem.kind {
    case .noSuchVersion, .diverged, .tooOld, .preconditionFailed:
      problem.members.head = problem.members.head ?? summary.head.cursor
      problem.members.oldest = problem.members.oldest ?? summary.oldest
      return problem
    default: return problem
    }
  }
}
