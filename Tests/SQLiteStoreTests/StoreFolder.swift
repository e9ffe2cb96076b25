import Foundation
import GRDB
import ListChanges
import ListModel
import ListStore
import StoreTestSupport
import TestSupport

@testable import SQLiteStore

/// A folder for one store, which goes when this goes.
final class StoreFolder: Sendable {
  private let folder: URL
  let path: String

  init() throws {
    folder = try TemporaryFolder.make()
    path = folder.appendingPathComponent("test.db").path
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func open(_ absence: SQLiteStore.Absence = .create) throws -> SQLiteStore {
    try SQLiteStore(path: path, ifAbsent: absence)
  }

  /// The bytes of every file of the store, by name.
  func bytes() throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return try Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, try Data(contentsOf: folder.appendingPathComponent($0)))
      })
  }

  /// Runs SQL on the store, and gives its rows the digests that match the new values.
  func sql(_ sql: String) throws {
    try DatabaseQueue(path: path).writeWithoutTransaction { try $0.executeAsWritten(sql) }
  }

  /// Runs SQL like any other program, without updating digests.
  func sqlOfAnotherProgram(_ sql: String) throws {
    try DatabaseQueue(path: path).writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  func rows(_ sql: String) throws -> [[String?]] {
    try DatabaseQueue(path: path).read { db in
      try Row.fetchAll(db, sql: sql).map { row in
        row.databaseValues.map { $0.isNull ? nil : "\($0.storage.value ?? "")" }
      }
    }
  }
}

extension SQLiteStore {
  /// The settings of the writing connection that promises depend on.
  func settings() throws -> [String: String] {
    try writer.writeWithoutTransaction { db in
      try ["journal_mode", "synchronous"].reduce(into: [:]) { settings, name in
        settings[name] = try String.fetchOne(db, sql: "PRAGMA \(name)")
      }
    }
  }

  /// Appends a snapshot of `id` or `id=number` texts, without any of the service's decisions.
  func append(_ texts: [String], to name: String = "parks") async throws {
    try await write { writer in
      let name = ListName(name)!
      let list = try writer.lockedList(name) ?? writer.createList(name)
      var order = try writer.headOrder(of: list) ?? HeadOrder.empty
      let stored = try order.items()
      let (ids, contents) = (
        try writer.ids(of: stored.map(\.id)), try writer.contents(of: stored)
      )
      let old = zip(ids, contents).map { Item(id: $0, content: $1) }
      let step = try old.changes(to: texts.map(Item.init))
      let record = VersionRecord(
        version: list.head.next,
        note: CommitNote(time: Timestamp(millisecondsSince1970: 0)), count: texts.count,
        changes: ChangeCounts(step), root: .empty,
        previous: try writer.heads(of: [list])[0]?.chain ?? .zero)
      let tree = TreeUpdate(whole: RootTree(of: try texts.map(Item.init)))
      try writer.append(writer.plan(step, of: list.key, as: record, order: &order, tree))
    }
  }
}

extension Item {
  /// An item from `id` or `id=number`.
  init(_ text: String) throws {
    let parts = text.split(separator: "=")
    self.init(
      id: ItemID(String(parts[0])),
      content: try Content(json: parts.count > 1 ? "\(parts[1])" : "0"))
  }
}
