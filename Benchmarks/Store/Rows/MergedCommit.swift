import ListChanges
import ListModel
import ParkLists
import SyncService

/// Row 13.
struct MergedCommit: Row {
  static let number = 13
  static let title = "merge of 100 changes into 100 others, in process"
  let bench: Workbench

  func findings() async throws -> [Finding] {
    let count = bench.scaled(1_000_000)
    let path = bench.newPath("merged.db")
    var base = ParkList(count: count, seed: 13)
    let state = try await base.build(at: path)
    var (commits, merges, algebra) = (Samples(), Samples(), Samples())
    for round in 0..<max(bench.rounds, 9) {
      let copy = try bench.copy(ofDatabase: path)
      defer { bench.remove(database: copy) }
      let store = try ParkStore(path: copy)
      let theirs = try base.edits(ofBranch: 2 * round + 1)
      let mine = try base.edits(ofBranch: 2 * round + 2)
      commits.add(try await store.measure(theirs, on: state))
      merges.add(try await store.measure(mine, on: state))
      let (merge, cost) = Clock.measure { mine.mergedByMembers(into: theirs, preferring: .mine) }
      precondition(merge.changes?.isEmpty == false)
      algebra.add(cost)
    }
    let work = "merge of 100 changes into 100 others of \(Figures.count(count)) items, in process"
    return [
      .limit(work, merges, atMost: 2, of: "a commit of 100 changes", commits),
      .limit(
        "the change sets of the same merge alone", algebra, atMost: 0.1,
        of: "a commit of 100 changes", commits),
    ]
  }
}

extension ParkList {
  /// Makes a store of two versions, which this list has passed through.
  fileprivate mutating func build(at path: String) async throws -> ListState {
    var history = try await ParkHistory(path: path, of: self)
    edit(.typical(changes: 100))
    try await history.commit(self)
    return history.state
  }

  /// 100 changes of this list.
  fileprivate func edits(ofBranch number: Int) throws -> ChangeSet<Item> {
    var edited = branch(number)
    edited.edit(.typical(changes: 100))
    return try changes(to: edited)
  }
}

extension ParkStore {
  /// Commits changes of a version, merged into what others have committed since. Where both changed
  /// the same park, which is seldom, the newer commit decides.
  fileprivate func measure(_ changes: ChangeSet<Item>, on base: ListState) async throws -> Cost {
    guard let cursor = base.cursor else { preconditionFailure("a committed state has a cursor") }
    var request = CommitRequest(
      list: Self.list, .changes(BareChanges(changes), from: base, to: nil))
    request.merge(from: .cursor(cursor), preferring: .mine)
    return try await Clock.measureAsync { try await service.commit(request) }.1
  }
}
