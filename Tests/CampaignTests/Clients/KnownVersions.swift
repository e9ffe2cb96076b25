import ListModel

/// All versions that a server ever had of one list, in every restored backup too.
struct KnownVersions {
  private struct Entry {
    let snapshot: Snapshot
    let state: ListState
    let parent: Cursor?
  }

  private static let zero = Cursor(version: .zero, chain: .zero)
  private var entries = [zero: Entry(snapshot: .empty, state: .zero, parent: nil)]

  mutating func add(_ snapshot: Snapshot, _ state: ListState, after parent: Cursor) {
    guard let cursor = state.cursor else { return }
    entries[cursor] = Entry(snapshot: snapshot, state: state, parent: parent)
  }

  func snapshot(_ cursor: Cursor) -> Snapshot? { entries[cursor]?.snapshot }

  func state(_ cursor: Cursor) -> ListState? { entries[cursor]?.state }

  /// Whether some version has exactly these items.
  func has(_ snapshot: Snapshot) -> Bool {
    entries.values.contains { $0.snapshot == snapshot }
  }

  /// Whether there is a path of commits from one version to another.
  func leads(from old: Cursor, to new: Cursor) -> Bool {
    var cursor: Cursor? = new
    while let reached = cursor {
      if reached == old { return true }
      cursor = entries[reached]?.parent
    }
    return false
  }
}
