import Foundation
import ListStore
import LocalFiles
import Synchronization

/// The file of an open store.
///
/// If another file takes its place, or the file is removed, the open connections keep the old file,
/// which no longer has a path. A commit into it would be lost when they close, so it must not be
/// acknowledged.
final class OpenedFile: Sendable {
  private let path: String
  /// The identity of the file; nil for a store without a file.
  private let identity: FileIdentity?
  private let comparisons = Atomic<Int>(0)

  /// - Parameter path: the path of a store whose connections are open.
  init(path: String) {
    self.path = path
    identity = FileStatus(path: path)?.identity
  }

  /// The number of times that the path was compared with the file.
  var comparisonCount: Int { comparisons.load(ordering: .relaxed) }

  /// Compares the path with the file that was opened, by one `stat`.
  ///
  /// - Throws: `StoreError.replaced` if the path names another file, or none.
  func check() throws(StoreError) {
    guard let identity else { return }
    comparisons.add(1, ordering: .relaxed)
    let found = FileStatus(path: path)?.identity
    // If a folder cannot be searched now, nothing is known about the file.
    if found == nil, errno != ENOENT, errno != ENOTDIR { return }
    guard found == identity else { throw .replaced(store: path) }
  }
}
