/// Stores the copy of one replica, which makes one call at a time.
public protocol ReplicaStorage: Sendable {
  /// The last saved copy, or ``ListCopy/empty``.
  ///
  /// - Throws: one of the errors of `ReplicaError` listed under "When a file is opened".
  func load() async throws(ReplicaError) -> ListCopy

  /// Saves list and cursor after a step, both or neither.
  ///
  /// - Parameter step: begins where the last saved step ended.
  /// - Throws: `ReplicaError.notSaved`; the last saved copy is then kept.
  func save(_ step: ReplicaStep) async throws(ReplicaError)
}

/// A storage in memory.
public actor ReplicaMemory: ReplicaStorage {
  public private(set) var copy: ListCopy

  public init(_ copy: ListCopy = .empty) { self.copy = copy }

  public func load() -> ListCopy { copy }

  public func save(_ step: ReplicaStep) { copy = step.after }
}
