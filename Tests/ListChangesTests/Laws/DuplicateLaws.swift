import ListChangesTesting

@testable import ListChanges

/// The laws of operations on lists with repeated ids.
enum DuplicateLaws {
  static func check(_ old: [Pair], _ new: [Pair]) throws {
    try checkRefusal(old, new)
    for usesBits in [true, false] {
      let trusted = trustedChanges(from: old, to: new, usesBits: usesBits)
      try law("the parts keep the rules, bits \(usesBits)", trusted.violation == nil)
      try law("trusted changes lead there, bits \(usesBits)", old.applying(trusted) == new)
    }
    let numbered = old.changesNumberingOccurrences(to: new)
    let result = try old.numberingOccurrences().applying(numbered)
    try law("numbered occurrences lead there", result.map(\.element) == new)
    try law(
      "their inverse leads back",
      new.numberingOccurrences().applying(numbered.inverted()).map(\.element) == old)
    try checkStages(old, new)
    let script = old.editScript(to: new)
    try law("the edit script leads there", old.applying(script) == new)
  }

  private static func checkRefusal(_ old: [Pair], _ new: [Pair]) throws {
    typealias Failure = ListChangesError<Int>
    let expected =
      duplicate(in: old, side: .old) ?? duplicate(in: new, side: .new)
    var found: Failure?
    do throws(Failure) { _ = try old.changes(to: new) } catch { found = error }
    try law("the first duplicate is refused, not \(String(describing: found))", found == expected)
  }

  private static func duplicate(
    in list: [Pair], side: ListChangesError<Int>.Side
  ) -> ListChangesError<Int>? {
    var first: [Int: Int] = [:]
    for (index, item) in list.enumerated() {
      if let earlier = first.updateValue(index, forKey: item.id) {
        return .duplicateID(item.id, first: earlier, second: index, side: side)
      }
    }
    return nil
  }

  private static func checkStages(_ old: [Pair], _ new: [Pair]) throws {
    let staged = old.changesNumberingOccurrences(to: new).stagedChanges()
    var view = CollectionViewSimulator(showing: old)
    for stage in staged.stages {
      let list = staged.list(after: stage, from: old, to: new)
      try view.performBatchUpdates(staged.batch(of: stage), showing: list)
      try law("after \(stage) the view shows its list", view.displayed == [list])
    }
    try law("the stages show the new list", view.displayed == [new])
  }
}
