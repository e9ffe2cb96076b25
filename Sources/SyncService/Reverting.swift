import ListChanges
import ListModel
import ListStore

/// A revert: the step from the head back to an earlier version.
extension Head {
  /// The step back to an earlier state.
  ///
  /// - Throws: `ServiceError.broken` when the step does not lead to the root of that state.
  mutating func revert(to old: ListState) throws -> ProvenStep {
    let step = try proven(step(to: old.version))
    guard step.root == old.root else {
      throw ServiceError.broken(
        list: list.name, version: old.version, reason: "the steps since do not lead back to it")
    }
    return step
  }
}

extension ListReader {
  /// The message of a request that has none: a revert names the version that it reverts to.
  func standardMessage(
    of content: CommitRequest.Content, in list: ListRecord
  ) throws -> String? {
    guard case .revert(let revision) = content else { return nil }
    return "Revert to version \(try state(of: revision, in: list).version)"
  }
}
