import ListModel
import ListStore
import StoreTestSupport
import SyncService

/// A query to a store whose answer can be compared with the one before the damage.
struct DamageQuery: Sendable {
  typealias Value = any (Equatable & Sendable)

  let name: String
  let ask: @Sendable (SyncService) async throws -> Value

  init(
    _ name: String,
    _ ask: @escaping @Sendable (SyncService) async throws -> some Equatable & Sendable
  ) {
    self.name = name
    self.ask = { try await ask($0) }
  }

  /// Whether the query asks for a list with its whole history.
  var isBundle: Bool { name.hasPrefix("bundle") }

  /// Whether the answer uses an index, and so may miss existing rows: an edit may take an item for
  /// a new one. The list at a version, and the changes between two versions, never may.
  var mayMiss: Bool {
    ["lists", "id rule", "import", "tags", "prunes", "history", "edit"].contains {
      name.hasPrefix($0)
    }
  }

  static func isSame(_ one: Value, _ other: Value?) -> Bool {
    func isSame<T: Equatable>(_ one: T) -> Bool { one == other as? T }
    return isSame(one)
  }

  static let all: [DamageQuery] =
    [
      DamageQuery("lists") { try await $0.lists() }
    ] + [ListName.parks, .films].flatMap(of)

  /// Queries whose answers stay the same after further commits.
  static let ofEarlierVersions = all.filter { query in
    ["id rule", "tags", "prunes", "import", "oldest", "earlier"].contains {
      query.name.hasPrefix($0)
    }
  }

  private static func of(_ list: ListName) -> [DamageQuery] {
    let oldest = Version(list == .parks ? 4 : 1)
    return [
      DamageQuery("id rule of \(list)") { try await $0.idRule(of: list) },
      DamageQuery("log of \(list)") { try await $0.log(of: list) },
      DamageQuery("tags of \(list)") { try await $0.tags(of: list) },
      DamageQuery("prunes of \(list)") { try await $0.prunes(of: list) },
      DamageQuery("import of \(list)") {
        try await $0.importPosition(of: "source", in: list)
      },
      DamageQuery("head of \(list)") { try await $0.snapshot(of: list).snapshot },
      DamageQuery("oldest of \(list)") {
        try await $0.snapshot(of: list, at: .version(oldest)).snapshot
      },
      DamageQuery("all changes of \(list)") {
        try await $0.delta(of: list, since: .version(oldest))
      },
      DamageQuery("earlier change of \(list)") {
        try await $0.delta(of: list, since: .version(oldest), to: .version(oldest.next))
      },
      DamageQuery("last change of \(list)") {
        try await $0.delta(of: list, since: .head(back: 1))
      },
      DamageQuery("history in \(list)") { try await $0.history(of: "i3", in: list) },
      DamageQuery("places in \(list)") { try await $0.places(of: "i3", in: list).runs },
      DamageQuery("bundle of \(list)") { service in
        var export = try await service.export(ExportRequest(list: list))
        var parts: [BundleEvent] = []
        while case let batch = try await export.nextBatch(), !batch.isEmpty { parts += batch }
        return parts
      },
      DamageQuery("edit of \(list)") {
        try await $0.preview(
          CommitRequest(
            list: list,
            edits: [.put(try TestHistory.item("i3", 77), .first), .remove("i5")]))
      },
    ]
  }
}

extension ListName {
  static let films = ListName("films")!
}
