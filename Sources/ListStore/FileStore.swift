/// A store that is one file, as far as files are handled as a whole.
public protocol FileStore: ListStore {
  /// Copies the store, as it stands at one moment, into a file that is not there yet. Others go on
  /// reading and writing it.
  ///
  /// - Parameter onProgress: called with how much is copied, and of how much.
  /// - Returns: the copy, opened to be read.
  /// - Throws: `StoreError`.
  func copy(
    to path: String, onProgress: @escaping @Sendable (_ part: Int, _ whole: Int) -> Void
  ) async throws -> any ListStore

  /// Whether a file is this store's own.
  func isStored(at path: String) -> Bool

  /// Gives the space of what was removed back to the system, by writing the whole file anew.
  ///
  /// Readers go on reading. Where one reads an older state, the file itself shrinks later.
  ///
  /// - Throws: `StoreError.busy` when another process is writing; `StoreError.diskFull` where there
  ///   is no room for the second copy. The store is then as it was.
  func vacuum() async throws -> VacuumOutcome
}

/// What giving space back has done.
public struct VacuumOutcome: Equatable, Sendable {
  /// Of the file and its log, as the system tells.
  public let byteCountBefore: Int
  public let byteCountAfter: Int
  /// Whether a reader of an older state keeps the file from shrinking for now.
  public let isHeldByReader: Bool

  package init(byteCountBefore: Int, byteCountAfter: Int, isHeldByReader: Bool) {
    self.byteCountBefore = byteCountBefore
    self.byteCountAfter = byteCountAfter
    self.isHeldByReader = isHeldByReader
  }
}
