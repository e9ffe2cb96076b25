import ListChanges
import ListModel
import ListStore
import StoreTestSupport
import SyncService

/// A store's answers about a list without times, and without the chains that depend on times.
struct TimelessAnswers: Equatable {
  private struct Entry: Equatable {
    let version: Version
    let count: Int
    let changes: ChangeCounts
    let root: Root
  }

  private let log: [Entry]
  private let tags: [String: Version]
  private let snapshots: [Version: Snapshot]
  private let deltas: [ListAnswers.Pair: ChangeSet<Item>]
  private let histories: [ItemID: [Version]]
  private let pruned: [ClosedRange<Version>]

  init(of service: SyncService) async throws {
    guard let answers = try await StoreAnswers(of: service).lists[.parks] else {
      preconditionFailure("there is a list")
    }
    log = answers.log.map {
      Entry(version: $0.version, count: $0.count, changes: $0.changes, root: $0.root)
    }
    tags = Dictionary(
      uniqueKeysWithValues: answers.tags.map { ($0.tag.name.text, $0.tag.version) })
    snapshots = answers.snapshots
    deltas = answers.deltas.mapValues(\.changes)
    histories = answers.histories.mapValues { $0.map(\.record.version) }
    pruned = try await service.prunes(of: .parks).map { $0.oldOldest...$0.newOldest }
  }
}
