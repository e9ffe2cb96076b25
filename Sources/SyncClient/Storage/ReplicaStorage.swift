/// Where a replica keeps its copy.
///
/// One replica uses it, one call after the other.
public protocol ReplicaStorage: Sendable {
  /// What was saved last; ``ListCopy/empty`` where nothing was.
  ///
  /// - Throws: `ReplicaError` of those grouped under opening a file.
  func load() async throws(ReplicaError) -> ListCopy

  /// Saves the list and the cursor that a step leads to, both or neither.
  ///
  /// - Parameter step: begins where the last one that was saved ended.
  /// - Throws: `ReplicaError.notSaved`; what was saved before is then still there.
  func save(_ step: ReplicaStep) async throws(ReplicaError)
}

/// A storage that lasts as long as the process.
public actor ReplicaMemory: ReplicaStorage {
  public private(set) var copy: ListCopy

  public init(_ copy: ListCopy = .empty) { self.copy = copy }

  public func load() -> ListCopy { copy }

  public func save(_ step: ReplicaStep) { copy = step.after }
}
