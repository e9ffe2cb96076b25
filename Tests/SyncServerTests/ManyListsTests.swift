import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncServer

/// A request about one list costs the same among many lists, former lists and tokens.
@Suite struct ManyListsTests {
  private static let count = 300

  private static func name(_ text: String, _ number: Int) -> ListName {
    ListName("\(text)-\(number)")!
  }

  /// Fills a store in few transactions.
  private static func fill(_ test: TestStore) async throws {
    try await test.store.write { writer in
      for number in 0..<count {
        _ = try writer.createList(name("list", number))
        let former = try writer.createList(name("former", number))
        try writer.drop(
          former.key,
          RetiredList(
            name: former.name, version: .zero, chain: .zero, leftAt: TestStore.noon, author: nil,
            newName: nil))
      }
    }
    for number in 0..<count {
      _ = try await test.service.makeToken(
        named: TokenName("token-\(number)")!, grants: [AccessGrant(.write, ListPattern("*")!)])
    }
  }

  @Test func requestAboutOneListReadsNoOtherList() async throws {
    try await TestServer.run(.inProcess) { server in
      try await Self.fill(server.test)
      let token = try await server.test.service.makeToken(
        named: TokenName("writer")!, grants: [AccessGrant(.write, ListPattern("*")!)])
      try await server.headCache.refresh()
      let headers: KeyValuePairs = [
        "Authorization": "Bearer \(token.secret.text)", "If-None-Match": "*",
      ]
      for (method, target, status) in [
        ("GET", "/v1/lists/absent", 404), ("GET", "/v1/lists/absent/delta?since=0", 404),
        ("GET", "/v1/lists/absent/versions", 404), ("GET", "/v1/lists/former-7", 410),
        ("PUT", "/v1/lists/new", 201), ("PUT", "/v1/lists/former-7", 410),
        ("PUT", "/v1/lists/list-7", 201),
      ] {
        let rows = try await server.test.rowsRead {
          let body = method == "PUT" ? #"[{"id":"a"}]"# : ""
          let answer = try await server.send(method, target, headers, body: body.utf8)
          answer.expect(status: status)
        }
        #expect(rows < 40, "\(method) \(target): \(rows) rows")
      }
    }
  }
}
