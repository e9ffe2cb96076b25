import Foundation
import ListStore
import LocalFiles
import Synchronization

/// The file that a path named when a store was opened there.
///
/// When another file takes its place, or it is removed, the open connections keep the old file,
/// which no path names any more. A commit into it would be lost when they close, so it must not be
/// acknowledged.
final class OpenedFile: Sendable {
  private let path: String
  /// Nil for a store without a file.
  let identity: FileIdentity?
  private let comparisons = Atomic<Int>(0)

  /// - Parameter path: of a store whose connections are open.
  init(path: String) {
    self.path = path
    identity = FileIdentity(path: path)
  }

  /// How often the path was compared with the file.
  var comparisonCount: Int { comparisons.load(ordering: .relaxed) }

  /// Compares the path with the file that was opened, by one `stat`.
  ///
  /// - Throws: `StoreError.replaced` when the path names another file, or none.
  func check() throws(StoreError) {
    guard let identity else { return }
    comparisons.add(1, ordering: .relaxed)
    let found = FileIdentity(path: path)
    // A folder that cannot be searched at the moment says nothing about the file.
    if found == nil, errno != ENOENT, errno != ENOTDIR { return }
    guard found == identity else { throw .replaced(path: path) }
  }
}
