import ListModel
import ListStore

/// The state of a ``HeadCache``: the shown heads and tokens, and the watchers that wait.
struct HeadCacheState {
  var shown = HeadIndex()
  var retiredLists: [ListName: RetiredList] = [:]
  /// How many records of retired lists were read; a name may have several.
  var retiredCount = 0
  var tokens: [TokenRecord]?
  var access = AccessList.nobody
  /// The mark of the shown state.
  var mark: DataVersion?
  /// Where the next reading begins.
  var headMark: ChangeToken?
  /// Whether somebody waits for the next reading.
  var isReadingAsked = false
  /// The commits of this process that somebody waits for.
  var ownCommits: [OwnCommit] = []
  var lastReadAt: Timestamp?
  var failure: (any Error)?
  var watchers = HeadWatchers()
  var nextWatcherID = 0
  var wakeCount = 0
  /// How many watchers may get a turn before the next rest has ended.
  var turnsLeft = HeadCache.turnCount
  var isResting = false
  /// By caller: the number of the last change that it sees, among those up to a number.
  var seen: [Caller: (last: Int, upTo: Int)] = [:]

  /// The number of the last change that a caller sees; 0 if it sees none.
  mutating func lastNumber(for caller: Caller?) -> Int {
    guard let caller, caller != .anyone else { return shown.lastNumber }
    let known = seen[caller] ?? (0, 0)
    let last = shown.lastNumber(after: known.upTo, where: caller.mayRead) ?? known.last
    seen[caller] = (last, shown.lastNumber)
    return last
  }

  func retiredList(_ name: ListName) -> RetiredList? {
    shown.change(of: name) == nil ? retiredLists[name] : nil
  }

  enum Finding {
    case change(HeadIndex.Change)
    /// There is no change after this number.
    case nothing(after: Int)
    /// The caller may not read the subject, or is no longer admitted; or the list is gone.
    case ended
  }

  /// The next change of a subject after a number.
  mutating func find(
    _ subject: HeadWatchers.Subject, after number: Int, for caller: Caller?
  ) -> Finding {
    if let caller, !access.admits(caller) { return .ended }
    switch subject {
    case .list(let list):
      if let caller, !caller.mayRead(list) { return .ended }
      if retiredList(list) != nil { return .ended }
      guard let change = shown.change(of: list), change.number > number else {
        return .nothing(after: number)
      }
      return .change(change)
    case .all:
      guard lastNumber(for: caller) > number else {
        return .nothing(after: shown.lastNumber)
      }
      let change = shown.next(after: number) { caller?.mayRead($0) ?? true }
      return change.map { .change($0) } ?? .nothing(after: shown.lastNumber)
    }
  }
}
