import Foundation
import GRDB
import ListDocuments
import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SQLExport

/// A store and an export of its list `parks`, in a folder of its own.
final class Exported: Sendable {
  let test: TestStore
  let folder: URL
  var path: String { folder.appendingPathComponent("history.db").path }

  init(_ test: TestStore) throws { (self.test, folder) = (test, try TemporaryFolder.make()) }

  convenience init() throws { try self.init(try TestStore()) }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Commits a version for each list of ids.
  func commit(_ versions: [String]...) async throws {
    for texts in versions {
      _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: try .of(texts)))
    }
  }

  /// Commits the versions of a real list, or a share of them.
  ///
  /// - Returns: its name in the store.
  func commit(
    _ list: RealList, afterEach: (Int, ListName) async throws -> Void = { _, _ in }
  ) async throws -> ListName {
    let (name, spec) = (try #require(ListName(list.name)), try list.spec())
    var options = SnapshotOptions(
      format: SnapshotOptions.Format(rawValue: spec.format), idRule: try IDRule(spec.id))
    options.duplicates = .keepFirst
    let versions = try list.shareOfTruth().versions
    try await list.withVersions { folder in
      for version in versions {
        let bytes = try Array(Data(contentsOf: folder.appendingPathComponent(version.file)))
        let read = try SnapshotReader(options: options).read(bytes)
        _ = try await test.service.commit(CommitRequest(list: name, snapshot: read.snapshot))
        try await afterEach(version.version, name)
      }
    }
    return name
  }

  func prune(keepLast count: Int) async throws {
    let rule = try #require(RetentionRule(keepLast: count))
    _ = try await test.service.prune(PruneRequest(list: .parks, rule: rule))
  }

  @discardableResult
  func export(
    _ list: ListName = .parks, replacing isReplaced: Bool = false, rowLimit: Int = 200_000,
    onProgress: (Version) -> Void = { _ in }
  ) async throws -> HistoryExporter.Outcome {
    try await exporter(rowLimit).export(list, replacing: isReplaced, onProgress: onProgress)
  }

  func exporter(_ rowLimit: Int = 200_000) throws -> HistoryExporter {
    try HistoryExporter(
      test.service, path: path, busyTimeoutSeconds: 0, rowLimit: rowLimit)
  }

  /// Reads the export as another program does.
  func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    var configuration = Configuration()
    configuration.readonly = true
    return try DatabaseQueue(path: path, configuration: configuration).read(body)
  }

  /// Compares each kept version with the store, its header too, and the rows with the rules.
  func expectAllVersions(
    _ list: ListName = .parks, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    for record in try await test.service.log(of: list) {
      let version = Version(record.version.number)
      let snapshot = try await test.service.snapshot(of: list, at: .version(version)).snapshot
      let (items, row) = try read { db in
        (
          try db.items(of: list, at: version),
          try Row.fetchOne(
            db,
            sql: """
              SELECT cursor, root, author, message, item_count FROM versions
              WHERE list = ? AND version = ?
              """, arguments: [list.text, version.number])
        )
      }
      try #require(
        items == snapshot.items, "version \(version)", sourceLocation: sourceLocation)
      #expect(
        row == [
          "cursor": record.cursor.description, "root": record.root.description,
          "author": record.note.author, "message": record.note.message,
          "item_count": record.count,
        ], sourceLocation: sourceLocation)
    }
    let versions = try await test.service.log(of: list).map(\.version.number).sorted()
    let (exported, check) = try read { db in
      (
        try Int.fetchAll(
          db, sql: "SELECT version FROM versions WHERE list = ? ORDER BY 1",
          arguments: [list.text]),
        try String.fetchOne(db, sql: "PRAGMA integrity_check")
      )
    }
    #expect(exported == versions, sourceLocation: sourceLocation)
    #expect(check == "ok", sourceLocation: sourceLocation)
  }

  /// The rows in order, without the numbers of their places.
  func rows() throws -> [Row] {
    try read {
      try Row.fetchAll(
        $0,
        sql: """
          SELECT list, dense_rank() OVER (PARTITION BY list ORDER BY place), since, until, id,
            content
          FROM items ORDER BY list, place, since
          """)
    }
  }
}

extension Database {
  /// A version of a list as Documentation/SQL.md reads it.
  func items(of list: ListName, at version: Version) throws -> [Item] {
    try Row.fetchAll(
      self,
      sql: """
        SELECT id, content FROM items WHERE list = ?1 AND since <= ?2 AND ?2 < until ORDER BY place
        """, arguments: [list.text, version.number]
    ).map { Item(id: ItemID($0[0]), content: try Content(json: $0[1] as String)) }
  }
}
