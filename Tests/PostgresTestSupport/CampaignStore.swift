import Foundation
import ListModel
import ListStore
import StoreTestSupport
import SyncService
import TestSupport

/// A new store of either engine.
package final class CampaignStore: Sendable {
  package let place: StorePlace
  package let store: any ListStore
  package let service: SyncService
  private let folder: URL

  package init(_ engine: StoreEngine) throws {
    folder = try TemporaryFolder.make()
    place = try engine.place(folder.appendingPathComponent("test.db").path)
    store = try place.open(.creating)
    service = SyncService(store: store) { TestStore.noon }
  }

  /// A copy of a file.
  package init(copying original: String) throws {
    folder = try TemporaryFolder.make()
    let path = folder.appendingPathComponent("test.db").path
    try FileManager.default.copyItem(atPath: original, toPath: path)
    place = .file(path)
    store = try place.open(.writing)
    service = SyncService(store: store) { TestStore.noon }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
