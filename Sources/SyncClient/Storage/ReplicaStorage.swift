/// Stores the copy of one replica and its edits. The replica makes one call at a time.
public protocol ReplicaStorage: Sendable {
  /// The last saved copy, or ``ListCopy/empty``.
  ///
  /// - Throws: one of the errors of `ReplicaError` listed under "When a file is opened".
  func load() async throws(ReplicaError) -> ListCopy

  /// The edits that were saved with the loaded copy.
  func edits() async -> EditQueue

  /// Saves list, cursor and edits, all or nothing.
  ///
  /// - Parameters:
  ///   - step: begins where the last saved step ended; nil if the copy stays.
  ///   - edits: the edits over the copy after the step; nil for the saved ones, which then follow
  ///     the step.
  /// - Throws: `ReplicaError.notSaved`; the last saved copy and edits are then kept.
  func save(_ step: ReplicaStep?, _ edits: EditQueue?) async throws(ReplicaError)
}

/// A storage whose items are rows of a table, which others may change at any time.
package protocol RowStorage: ReplicaStorage {
  /// As ``ReplicaStorage/load()``.
  ///
  /// - Returns: the copy over the rows.
  func loadRows() async throws(ReplicaError) -> ListCopy

  /// As ``ReplicaStorage/save(_:_:)``.
  ///
  /// - Returns: the copy over the new rows.
  /// - Throws: ``StaleRows`` if the rows have another state than that which was loaded or saved
  ///   last; nothing is saved then. ``reload()`` gives the present state.
  func saveRows(_ step: ReplicaStep?, _ edits: EditQueue?) async throws -> ListCopy

  /// The copy over the present rows, and its edits.
  func reload() async throws -> (ListCopy, EditQueue)
}

extension ReplicaStorage {
  /// Saves list and cursor after a step, both or neither.
  public func save(_ step: ReplicaStep) async throws(ReplicaError) { try await save(step, nil) }
}

/// A storage in memory.
public actor ReplicaMemory: ReplicaStorage {
  public private(set) var copy: ListCopy
  private var queue = EditQueue.empty

  public init(_ copy: ListCopy = .empty) { self.copy = copy }

  public func load() -> ListCopy { copy }

  public func edits() -> EditQueue { queue }

  public func save(_ step: ReplicaStep?, _ edits: EditQueue?) throws(ReplicaError) {
    do {
      queue = try edits ?? step.map(queue.following) ?? queue
    } catch {
      throw .notSaved(reason: "\(error)")
    }
    if let step { copy = step.after }
  }
}
