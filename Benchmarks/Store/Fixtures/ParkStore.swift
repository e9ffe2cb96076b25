import Foundation
import ListModel
import ListStore
import ParkLists
import SQLiteStore
import SyncService

/// A store that a program fills with the versions of one generated list, "parks".
struct ParkStore {
  static let list: ListName = {
    guard let name = ListName("parks") else { preconditionFailure("parks is a list name") }
    return name
  }()

  let path: String
  let service: SyncService

  init(path: String) throws {
    self.path = path
    let store = try SQLiteStore(path: path, ifAbsent: .create)
    service = SyncService(store: store) { Timestamp(Date()) }
  }

  /// Commits the present list, and returns the resulting state.
  func commit(_ list: ParkList) async throws -> ListState {
    let snapshot = try Snapshot(list.parks.map(list.item))
    return try await service.commit(CommitRequest(list: Self.list, snapshot: snapshot)).state
  }
}
