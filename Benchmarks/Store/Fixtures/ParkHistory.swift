import ListChanges
import ListModel
import ParkLists
import SyncService

/// A generated list on its way through its versions in a new store.
///
/// The first version is committed whole, and those after it as what changed, so that a version of
/// a long list costs little more than its changes.
struct ParkHistory {
  let store: ParkStore
  private(set) var list: ParkList
  private(set) var state: ListState

  init(path: String, of list: ParkList) async throws {
    store = try ParkStore(path: path)
    self.list = list
    state = try await store.commit(list)
  }

  /// Commits another list as the next version.
  mutating func commit(_ next: ParkList) async throws {
    let step = try list.changes(to: next)
    let request = CommitRequest(
      list: ParkStore.list, .changes(BareChanges(step), from: state, to: nil))
    state = try await store.service.commit(request).state
    list = next
  }
}

extension ParkList {
  /// - Precondition: Both came from one list by edits.
  func changes(to next: ParkList) throws -> ChangeSet<Item> {
    let step = parks.changes(
      to: next.parks, id: \.number, content: \.edition, ids: .trusted)
    return try ChangeSet(
      oldCount: step.oldCount, newCount: step.newCount,
      removed: step.removed.map { .init(from: $0.from, element: item($0.from)) },
      moved: step.moved.map { .init(from: $0.from, to: $0.to, id: item($0.from).id) },
      inserted: step.inserted.map { .init(to: $0.to, element: next.item($0.to)) },
      updated: step.updated.map {
        .init(from: $0.from, to: $0.to, old: item($0.from), new: next.item($0.to))
      })
  }

  func item(_ index: Int) -> Item { item(of: parks[index]) }

  func item(of park: Park) -> Item {
    Item(id: ItemID(park.id), content: Content(canonicalBytes: content(of: park)))
  }
}
