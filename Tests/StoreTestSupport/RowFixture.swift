import Foundation
import ListModel
import SyncService
import TestSupport

@testable import ListStore

/// A small store with several rows of each kind in every table: two lists of one shape, whose
/// versions are partly pruned, and partly merged.
package enum RowFixture {
  package static let names = [ListName("parks")!, ListName("films")!]

  /// The bytes of a file that is filled so.
  private static let file = Task {
    let test = try TestStore()
    try await fill(test.store, test.service)
    try await test.emptyLog()
    return try Data(contentsOf: URL(fileURLWithPath: test.path))
  }

  /// A store in a file that is filled so.
  package static func store() async throws -> TestStore { try await TestStore(holding: file.value) }

  package static func fill(_ store: any ListStore, _ service: SyncService) async throws {
    for (number, name) in names.enumerated() {
      for version in 0..<9 {
        var items = try (0..<8).map { index in
          try TestHistory.item(
            "i\((index * 3 + version / 2) % 10)", version * (index % 3) + number)
        }
        // Too long for the row of a segment, so that there are blocks.
        if version < 4 { items.append(try longItem) }
        var request = CommitRequest(list: name, snapshot: try Snapshot(items))
        request.idRule = number == 0 ? "[\"id\"]" : "[\"n\"]"
        (request.author, request.message) = ("Ann \(number)", "No. \(version)")
        _ = try await service.commit(request)
        if version == 3 || version == 6 { _ = try await service.compact(name) }
        // The last two versions have segments of their own.
        for count in [5, 4] where version == 6 {
          _ = try await service.prune(name, keepLast: count)
        }
      }
      for (tag, version) in [("spring", 5), ("summer", 7)] {
        _ = try await service.tag(TagName(tag)!, of: name, at: .version(Version(version)))
      }
    }
    for name in names {
      for (from, to) in [(4, 6), (4, 9)] {
        let changes = try await service.snapshot(of: name, at: .version(Version(from))).snapshot
          .changes(to: service.snapshot(of: name, at: .version(Version(to))).snapshot)
        try await store.write { writer in
          guard let list = try writer.lockedList(name) else { return }
          try writer.keepChanges(
            PackedChanges(changes), from: Version(from), to: Version(to), of: list.key,
            usedAt: .law(1),
            byteLimit: 1 << 20)
        }
      }
    }
    try await store.write { try writeRecords($0) }
  }

  /// An item whose text hardly compresses.
  package static var longItem: Item {
    get throws {
      var random = SeededRandom(seed: 1)
      let text = (0..<1 << 14).map { _ in
        String(UInt64.random(in: 0...UInt64.max, using: &random), radix: 36)
      }.joined()
      return Item(id: ItemID("long"), content: try Content(json: #"{"text":"\#(text)"}"#))
    }
  }

  private static func writeRecords(_ writer: ListWriter) throws {
    for (number, name) in names.enumerated() {
      guard let list = try writer.lockedList(name), let head = try writer.headOrder(of: list) else {
        continue
      }
      try writer.setTitlePath(JSONPointer(tokens: ["title\(number)"]), of: list.key)
      let limits = LimitedChange.allCases.map { ($0, ChangeLimit.percent(20 + number)) }
      try writer.setLimits(Dictionary(uniqueKeysWithValues: limits), of: list.key)
      for source in ["one", "two"] {
        try writer.setImportPosition("\(source) \(number)", of: source, in: list.key)
      }
      try writer.writeCheckpoint(head.items(), at: list.head, of: list.key)
      try writer.addToken(
        TokenRecord(
          name: TokenName("reader\(number)")!,
          secretHash: SecretHash(bytes: Array(repeating: UInt8(number), count: 32))!,
          createdAt: .law(number), grants: [AccessGrant(.read, .all)]))
      let former = try writer.createList(ListName("former\(number)")!)
      try writer.drop(
        former.key,
        RetiredList(
          name: former.name, version: .zero, chain: .zero, leftAt: .law(number), author: nil,
          newName: nil))
    }
  }
}

/// The answers of a store to queries that read all of its rows, each of which may be refused.
package struct RowAnswers: Sendable {
  private var values: [String: any Equatable & Sendable] = [:]
  /// The errors of the refused queries.
  package private(set) var refusals: [(name: String, error: any Error)] = []

  /// - Parameter onStart: called with the name of each query before it is asked.
  package init(
    of store: any ListStore, _ service: SyncService, onStart: (String) -> Void = { _ in }
  ) async {
    for query in Self.queries {
      onStart(query.name)
      do {
        values[query.name] = try await query.ask(store, service)
      } catch {
        refusals.append((query.name, error))
      }
    }
  }

  /// The refusals that do not name damage.
  package var otherRefusals: [String] {
    refusals.compactMap { name, error in
      (error as? any DamageError)?.saysDamage == true ? nil : "\(name) threw \(error)"
    }
  }

  /// Returns the names of the queries that both answer, but not equally.
  package func differing(from other: RowAnswers) -> [String] {
    values.compactMap { name, value in
      func isSame<T: Equatable>(_ value: T) -> Bool { value == other.values[name] as? T }
      return other.values[name] == nil || isSame(value) ? nil : name
    }
  }

  private struct Query: Sendable {
    let name: String
    let ask: @Sendable (any ListStore, SyncService) async throws -> any Equatable & Sendable

    init(
      _ name: String,
      _ ask:
        @escaping @Sendable (any ListStore, SyncService) async throws
        -> some Equatable & Sendable
    ) {
      self.name = name
      self.ask = { try await ask($0, $1) }
    }
  }

  private static let queries: [Query] =
    [
      Query("lists") { try await $1.lists() },
      Query("tokens") { try await $1.tokens().map(\.secretHash) },
      Query("former lists") { store, _ in
        try await store.read { try $0.retiredLists(after: 0).map(\.leftAt) }
      },
    ] + RowFixture.names.flatMap(queries)

  private static func queries(of list: ListName) -> [Query] {
    let versions = (4...9).map { Version($0) }
    let ids = (0..<10).map { ItemID("i\($0)") }
    return recordQueries(of: list)
      + versions.map { version in
        Query("version \(version) of \(list)") {
          try await $1.snapshot(of: list, at: .version(version)).snapshot
        }
      }
      + versions.flatMap { version in
        versions.map { other in
          Query("delta of \(list) from \(version) to \(other)") {
            try await $1.delta(of: list, since: .version(version), to: .version(other))
          }
        }
      }
      + ids.map { id in
        Query("history of \(id) in \(list)") { try await $1.history(of: id, in: list) }
      }
  }

  private static func recordQueries(of list: ListName) -> [Query] {
    [
      Query("id rule of \(list)") { try await $1.idRule(of: list) },
      Query("log of \(list)") { try await $1.log(of: list) },
      Query("tags of \(list)") { try await $1.tags(of: list) },
      Query("prunes of \(list)") { try await $1.prunes(of: list) },
      Query("grep in \(list)") {
        try await $1.search("i", in: list, everywhere: true).map { "\($0)" }
      },
      Query("blame of \(list)") { try await $1.blame(list).map { "\($0)" } },
      Query("imports of \(list)") { _, service in
        let one = try await service.importPosition(of: "one", in: list)
        return [one, try await service.importPosition(of: "two", in: list)]
      },
      Query("title path of \(list)") { store, _ in
        try await store.read { reader in
          try reader.list(list).map { try reader.titlePaths(of: [$0.key]) }
        }
      },
      Query("bundle of \(list)") { _, service in
        var export = try await service.export(ExportRequest(list: list))
        var parts: [BundleEvent] = []
        while case let batch = try await export.nextBatch(), !batch.isEmpty { parts += batch }
        return parts
      },
    ]
  }
}
