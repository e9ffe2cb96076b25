/// A store in one file: operations on the whole file.
public protocol FileStore: ListStore {
  /// Copies one state of the store into a new file. Other programs continue to read and write the
  /// store.
  ///
  /// - Parameters:
  ///   - path: the path of the new file.
  ///   - onProgress: called with the copied part and the whole, in the same unit.
  /// - Returns: the copy, opened for reading.
  /// - Throws: `StoreError`; `.notCopied` when the system cannot write the new file.
  func copy(
    to path: String, onProgress: @escaping @Sendable (_ part: Int, _ whole: Int) -> Void
  ) async throws -> any ListStore

  /// Returns whether a path leads to this store's file.
  func isStored(at path: String) -> Bool

  /// Returns the space of deleted data to the system, by rewriting the whole file.
  ///
  /// Readers continue to read. If one of them reads an older state, the file shrinks later.
  ///
  /// - Throws: `StoreError.busy` when another process is writing; `StoreError.diskFull` when there
  ///   is no room for the second copy. The store is then unchanged.
  func vacuum() async throws -> VacuumOutcome
}

/// The result of ``FileStore/vacuum()``: the size of the file and its write-ahead log, before and
/// after, and whether a reader of an older state still keeps the file from shrinking.
public typealias VacuumOutcome = (
  byteCountBefore: Int, byteCountAfter: Int, isHeldByReader: Bool
)
