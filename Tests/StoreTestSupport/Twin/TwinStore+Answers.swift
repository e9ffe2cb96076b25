import ListModel

@testable import SyncService

extension TwinStore {
  /// All that a store must say that holds the same lists.
  package func answers() throws -> StoreAnswers {
    StoreAnswers(
      lists: Dictionary(
        uniqueKeysWithValues: try zip(lists, summaries).map { list, summary in
          (list.name, try answers(of: list, summary))
        }))
  }

  private func answers(of list: TwinList, _ summary: ListSummary) throws -> ListAnswers {
    let versions = [0] + list.kept
    var (snapshots, deltas): ([Version: Snapshot], [ListAnswers.Pair: Delta]) = ([:], [:])
    for from in versions {
      snapshots[Version(from)] = try Snapshot(list.snapshots[from])
      for to in versions {
        deltas[.init(from: Version(from), to: Version(to))] = list.delta(from, to)
      }
    }
    let ids = Set(list.kept.flatMap { list.snapshots[$0].map(\.id) })
    return ListAnswers(
      summary: summary, idRule: list.idRule, log: try log(of: list.name, limit: nil),
      tags: try tags(of: list.name), snapshots: snapshots, deltas: deltas,
      histories: Dictionary(
        uniqueKeysWithValues: try ids.map { ($0, try history(of: $0, in: list.name)) }))
  }
}
