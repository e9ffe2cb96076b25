import ListChanges
import ListModel
import ListStore

/// A revert: the step from the head back to an earlier version.
extension Head {
  /// The step back to an earlier state, and its checksum.
  ///
  /// - Throws: `ServiceError.broken` when the step does not lead to the checksum of that state.
  mutating func revert(to old: ListState) throws -> (step: ChangeSet<Item>, checksum: Checksum) {
    let step = try step(to: old.version)
    let checksum = try checksum(after: step)
    guard checksum == old.checksum else {
      throw ServiceError.broken(
        list: list.name, version: old.version, reason: "the steps since do not lead back to it")
    }
    return (step, checksum)
  }

  /// The message of a request that has none.
  func standardMessage(of request: CommitRequest) throws -> String? {
    guard case .revert(let revision) = request.content else { return nil }
    return "Revert to version \(try reader.state(of: revision, in: list).version)"
  }
}
