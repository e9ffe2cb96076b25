import ListModel
import SyncService
import TestSupport

/// One act upon a store, which its number and a seed determine, whatever the store holds: so the
/// process that does it and the one that checks it need not talk about it.
///
/// Repeating an act leaves the same state as the first time.
package struct KillAct: Sendable {
  package enum Kind: Sendable {
    case commit(ListName, Snapshot)
    case commitDelta(ListName, Snapshot)
    case edit(ListName, [Edit])
    /// Takes the versions of the source, up to one, from another one on.
    case apply(from: Version, to: Version)
    case prune(ListName, RetentionRule)
    case tag(ListName, TagName)
    // Acts upon a list that may be there or not; refused, they change nothing.
    case drop(ListName)
    case rename(ListName, to: ListName)
    case beginAgain(ListName, Snapshot)
    case vacuum
    case backUp
    case compact(ListName)
    case compactIfDue(ListName)
  }

  package let number: Int
  package let kind: Kind

  package static let lists = [ListName("films")!, .parks]
  /// The list that versions of the source go to.
  package static let copy = ListName("copy")!
  /// The names of a list that is dropped, renamed and begun again.
  package static let leaving = [ListName("here")!, ListName("there")!]
  /// How many versions the source has.
  package static let sourceVersionCount = 120

  /// - Parameter number: 1 or more.
  package init(number: Int, seed: UInt64) {
    var random = SeededRandom(seed: seed &+ UInt64(number) &* 0xd1b5_4a32_d192_ed03)
    self.number = number
    kind = Self.kind(number, &random)
  }

  package var note: CommitNote { CommitNote(time: time, message: "act \(number)") }

  /// The clock moves on by a minute an act.
  package var time: Timestamp {
    let noon = TestStore.noon.millisecondsSince1970
    return Timestamp(millisecondsSince1970: noon + Int64(number) * 60_000)
  }

  private static func kind(_ number: Int, _ random: inout SeededRandom) -> Kind {
    // Lists are there before anything else is done to them, and the copy is never far behind.
    if number <= lists.count { return .commit(lists[number - 1], snapshot(number, &random)) }
    if number % 6 == 3 {
      let target = min(number / 6 + 1, sourceVersionCount)
      return .apply(from: Version(max(0, target - 3)), to: Version(target))
    }
    let list = lists[Int.random(in: lists.indices, using: &random)]
    let leaving = leaving.shuffled(using: &random)
    switch Int.random(in: 0..<32, using: &random) {
    case 0..<6: return .commit(list, snapshot(number, &random))
    case 6..<9: return .commitDelta(list, snapshot(number, &random))
    case 9..<13: return .edit(list, edits(number, &random))
    case 13..<16:
      let pruned = number > 12 && Bool.random(using: &random) ? copy : list
      return .prune(pruned, RetentionRule(keepLast: .random(in: 1...6, using: &random))!)
    case 16, 17: return .tag(list, TagName("newest")!)
    case 20: return .drop(leaving[0])
    case 21, 22: return .rename(leaving[0], to: leaving[1])
    case 23..<26: return .beginAgain(leaving[0], snapshot(number, &random))
    case 26..<29: return .compact(list)
    case 29..<32: return .compactIfDue(list)
    case 18: return .vacuum
    default: return .backUp
    }
  }

  private static let ids = (0..<36).map { "i\($0)" }

  /// Most items have a content that no version had before, so that a few versions hold as many
  /// changes as make a checkpoint due.
  private static func snapshot(_ number: Int, _ random: inout SeededRandom) -> Snapshot {
    let count = Int.random(in: 12...30, using: &random)
    var items = ids.shuffled(using: &random).prefix(count).map {
      item($0, Int.random(in: 0..<4, using: &random) == 0 ? 0 : number)
    }
    items.append(item("last", number))
    return Snapshot(uniqueItems: items)
  }

  private static func edits(_ number: Int, _ random: inout SeededRandom) -> [Edit] {
    ids.shuffled(using: &random).prefix(3).map {
      .put(item($0, number), Bool.random(using: &random) ? .first : .last)
    }
  }

  /// - Parameter id: of letters and digits.
  package static func item(_ id: String, _ value: Int) -> Item {
    Item(
      id: ItemID(id),
      content: Content(canonicalBytes: Array(#"{"id":"\#(id)","value":\#(value)}"#.utf8)))
  }
}

extension ServiceError {
  /// Whether the list that should leave is not there, or its new name is another list's.
  package var isNothingToLeave: Bool {
    switch self {
    case .gone, .noSuchList, .nameTaken: true
    default: false
    }
  }
}

extension KillAct.Kind {
  package var name: String {
    switch self {
    case .commit: "commit"
    case .commitDelta: "commit of a delta"
    case .edit: "edit"
    case .apply: "application"
    case .prune: "pruning"
    case .tag: "tag"
    case .drop: "drop"
    case .rename: "renaming"
    case .beginAgain: "beginning again"
    case .vacuum: "vacuum"
    case .backUp: "backup"
    case .compact: "compaction"
    case .compactIfDue: "merging"
    }
  }
}
