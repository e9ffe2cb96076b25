import ListChanges
import ListModel
import ListStore

extension SyncService {
  /// Keeps changes that were costly to make, if nobody is writing. Readers never wait for a writer,
  /// so a server calls this when the answer is on its way.
  public func keep(_ made: MadeCatchUp) async {
    let (time, limit) = (now(), KeptChangesRule.byteLimit)
    guard let use = made.use, KeptChangesRule.isWorthRecording(last: use.lastUsedAt, at: time)
    else { return }
    let packed = use.changes.map(PackedChanges.init)
    await store.writeIfFree { try $0.keep(use, packed, at: time, byteLimit: limit) }
  }
}

/// Which composed changes are kept.
enum KeptChangesRule {
  /// The upper limit for all kept changes of a store.
  static let byteLimit = 64 << 20
  /// Fewer changes are composed as quickly as they are looked up.
  static let leastChangeCount = 512
  /// A use is recorded when the last recorded one is older.
  static let recordIntervalMilliseconds: Int64 = 3_600_000

  /// - Parameter last: the last recorded use; nil for the first.
  static func isWorthRecording(last: Timestamp?, at time: Timestamp) -> Bool {
    guard let last else { return true }
    let (age, overflows) = time.millisecondsSince1970.subtractingReportingOverflow(
      last.millisecondsSince1970)
    return overflows || age.magnitude > UInt64(recordIntervalMilliseconds)
  }
}

/// Changes to be kept, or kept changes that were used.
struct KeptChangesUse: Sendable {
  let list: ListName
  let from: ListState
  let to: ListState
  /// Nil if they are kept already.
  var changes: ChangeSet<Item>?
  /// Nil if they are not kept yet.
  var lastUsedAt: Timestamp?
}

extension ListWriter {
  /// Stores what a catch-up kept, unless the list was dropped, renamed, begun again or pruned since
  /// the catch-up read it: the same key and version may belong to another history by now.
  fileprivate func keep(
    _ use: KeptChangesUse, _ changes: PackedChanges?, at time: Timestamp, byteLimit: Int
  ) throws {
    guard let list = try lockedList(use.list), try has(use.from, in: list),
      try has(use.to, in: list)
    else { return }
    try keepChanges(
      changes, from: use.from.version, to: use.to.version, of: list.key, usedAt: time,
      byteLimit: byteLimit)
  }

  private func has(_ state: ListState, in list: ListRecord) throws -> Bool {
    if state.version == .zero { return true }
    return try versions(state.version...state.version, of: list.key).first?.state == state
  }
}
