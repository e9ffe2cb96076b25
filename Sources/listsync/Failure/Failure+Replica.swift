import SyncClient
import Terminal

extension Failure {
  /// The error of a replica's file that is only read; the others belong to `listsync-pull`.
  init(_ error: ReplicaError) {
    let (code, advice): (Code, String?) =
      switch error {
      case .damagedFile(let path, _):
        (.integrity, "Delete \(path) and pull again: the server has the list.")
      case .foreignFile: (.failure, "Name a file that 'listsync pull' keeps.")
      case .newerFile: (.failure, "Read it with the version of listsync that wrote it.")
      case .cannotOpen: (.failure, "Check its name and permissions.")
      default: (.failure, nil)
      }
    self.init(code, Output.shortened("\(error)"), advice)
  }
}
