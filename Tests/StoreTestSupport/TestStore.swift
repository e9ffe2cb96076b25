import Foundation
import ListModel
import ListStore
import SQLiteStore
import SyncService
import TestSupport

/// A store in a folder of its own, which goes when this goes.
package final class TestStore: Sendable {
  private let folder: URL
  package let service: SyncService
  package let store: SQLiteStore
  package let path: String

  package static let noon = Timestamp(millisecondsSince1970: 1_795_262_400_000)

  /// - Parameters:
  ///   - original: a store's file, closed, to start from a copy of; nil for a new store.
  ///   - now: the service's clock.
  package init(
    copying original: String? = nil,
    now: @escaping @Sendable () -> Timestamp = { TestStore.noon }
  ) throws {
    folder = try TemporaryFolder.make()
    path = folder.appendingPathComponent("test.db").path
    if let original { try FileManager.default.copyItem(atPath: original, toPath: path) }
    store = try SQLiteStore(path: path, ifAbsent: original == nil ? .create : .fail)
    service = SyncService(store: store, now: now)
  }

  /// A store from the bytes of a closed one's file.
  package convenience init(holding file: Data) throws {
    let original = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: original) }
    let path = original.appendingPathComponent("original.db")
    try file.write(to: path)
    try self.init(copying: path.path)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}

extension ListName {
  package static let parks = ListName("parks")!
}

extension Snapshot {
  /// Items from ids, or `id=number` where the content shall have another value than 0.
  package static func of(_ texts: String...) throws -> Snapshot { try of(texts) }

  package static func of(_ texts: [String]) throws -> Snapshot {
    try Snapshot(
      texts.map { text in
        let parts = text.split(separator: "=")
        let value = parts.count > 1 ? parts[1] : "0"
        let content = try Content(json: #"{"id":"\#(parts[0])","value":\#(value)}"#)
        return Item(id: ItemID(String(parts[0])), content: content)
      })
  }
}
