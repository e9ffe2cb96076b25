@testable import ListStore
@testable import SQLiteStore

extension SQLiteStore {
  /// Runs a WAL checkpoint after every commit that leaves so many pages or more in the log.
  package func runWALCheckpoints(everyPages count: Int) { checkpointer.setPageLimit(count) }
}
