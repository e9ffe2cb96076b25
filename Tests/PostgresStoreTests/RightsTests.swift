import Foundation
import ListModel
import ListStore
import PostgresStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// The grants of `Documentation/Scale.md` are enough for a reader, a writer and an owner.
@Suite(.needsPostgreSQL) struct RightsTests {
  /// The statements of the page, with the names of this test in place of its own.
  private static func statements(_ names: KeyValuePairs<String, String>) throws -> String {
    let page = try String(
      contentsOf: Project.root.appendingPathComponent("Documentation/Scale.md"), encoding: .utf8)
    let block = try #require(page.split(separator: "```sql\n").dropFirst().first)
    let end = try #require(block.firstRange(of: "```")).lowerBound
    return names.reduce(String(block[..<end])) { $0.replacing($1.key, with: $1.value) }
  }

  @Test func eachRoleMayDoWhatTheDocumentedGrantsSay() async throws {
    let server = try PostgresServer.shared.get()
    let number = UInt32.random(in: 0 ... .max)
    let (database, schema) = ("rights\(number)", "lists\(number)")
    func role(_ name: String) -> String { "\(name)\(number)" }
    try server.sql("CREATE DATABASE \(database)")
    func store(_ user: String, creates: Bool = false) throws -> PostgresStore {
      try PostgresStore(
        address: server.address(user: role(user), database: database), schema: schema,
        createsMissing: creates)
    }
    func service(_ user: String) throws -> SyncService {
      try SyncService(store: store(user)) { TestStore.noon }
    }
    let names: KeyValuePairs = [
      "lists_owner": role("owner"), "lists_writer": role("writer"),
      "lists_reader": role("reader"), "DATABASE listsync": "DATABASE \(database)",
      "SCHEMA listsync": "SCHEMA \(schema)",
    ]
    let text = try Self.statements(names)
    let parts = text.split(separator: "-- Then, as the owner")
    try server.sql(String(parts[0]), database: database)
    _ = try store("owner", creates: true)
    try server.sql("SET ROLE \(role("owner")); --\(parts[1])", database: database)

    let next = CommitRequest(list: .parks, snapshot: try Snapshot.of("a"))
    _ = try await service("writer").commit(next)
    _ = try await service("writer").delta(of: .parks, since: .version(.zero))
    let readerStore = try store("reader")
    let reader = SyncService(store: readerStore) { TestStore.noon }
    #expect(try await reader.snapshot(of: .parks).snapshot.items.count == 1)
    #expect(try await reader.verify(depth: .everything).faults.isEmpty)
    _ = try await readerStore.dataVersion()
    do {
      _ = try await reader.tag(TagName("spring")!, of: .parks)
      Issue.record("a reader may not write")
    } catch StoreError.notPermitted(let reason) {
      #expect(reason.contains("permission denied"))
    }
    _ = try await service("owner").tag(TagName("spring")!, of: .parks)
    // Nobody else gets in.
    try server.sql("CREATE ROLE \(role("stranger")) LOGIN", database: database)
    #expect(throws: StoreError.self) { _ = try store("stranger") }
  }
}
