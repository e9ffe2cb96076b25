import Foundation
import ListStore

extension StorePath {
  /// Refuses a store whose write-ahead log is damaged in the middle: SQLite would open it without
  /// the commits behind the damage, and without a word.
  ///
  /// The log is read only where SQLite is about to recover it: no process has the store open.
  ///
  /// - Throws: `StoreError.corrupt`, which says where, and what is behind it.
  /// - Complexity: O(n) for a log of n bytes; there is none once the last program has closed the
  ///   store.
  func checkLog() throws {
    if isThere, !OpenStores.has(self) { try refuseDamagedLog() }
  }

  func refuseDamagedLog() throws {
    var earlier: WriteAheadLog?
    // A process that has the file for itself holds no lock on shared memory, and may be writing:
    // damage is what stays the same however often one looks.
    for waitMilliseconds in [0, 2, 20, 100] {
      usleep(UInt32(waitMilliseconds) * 1000)
      guard let found = try WriteAheadLog(path: log), let damage = found.damage else { return }
      if let earlier, earlier.header != found.header || earlier.damage?.frame != damage.frame {
        return
      }
      earlier = found
    }
    guard let damage = earlier?.damage else { return }
    // A power cut in the moment in which the log was begun anew tears nothing but its header.
    if damage.frame == nil, try LoggedPages(path: log)?.areIn(resolved) == true { return }
    let place = damage.frame.map { "frame \($0) (byte \(damage.byteOffset))" } ?? "the header"
    let logName = URL(fileURLWithPath: log).lastPathComponent
    throw StoreError.corrupt(
      reason: """
        \(place) of its write-ahead log \(logName) is not what was written, and \
        \(damage.commitCount) commits lie behind it; to go on without what the log holds, move it \
        away
        """)
  }
}
