import ListChanges
import ListModel
import ListStore

/// Which changes of several steps are kept.
enum KeptChangesRule {
  /// What all kept changes of a store may take.
  static let byteLimit = 64 << 20
  /// Fewer changes than this are composed as quickly as they are looked up.
  static let leastChangeCount = 512
  /// A use is noted when the one noted last is older.
  static let noteIntervalMilliseconds: Int64 = 3_600_000

  /// - Parameter last: the use that was noted last; nil for the first.
  static func isWorthNoting(last: Timestamp?, at time: Timestamp) -> Bool {
    guard let last else { return true }
    let (age, overflows) = time.millisecondsSince1970.subtractingReportingOverflow(
      last.millisecondsSince1970)
    return overflows || age.magnitude > UInt64(noteIntervalMilliseconds)
  }
}

/// Changes that are to be kept, or kept ones that were used.
struct KeptChangesUse: Sendable {
  let list: ListKey
  let from: Version
  let to: Version
  /// Nil where they are kept already.
  var changes: ChangeSet<Item>?
  /// Nil where they are not kept yet.
  var lastUsedAt: Timestamp?
}
