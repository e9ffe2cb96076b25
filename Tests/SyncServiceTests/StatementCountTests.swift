import ListModel
import StoreTestSupport
import SyncService
import Testing

/// A transaction opens a list once: it reads each row of `lists` and `versions` once.
@Suite struct StatementCountTests {
  private func selects(
    _ test: TestStore, _ body: () async throws -> Void
  ) async throws -> (all: [String], of: (String) -> Int) {
    let all = try await test.statements(body).filter { $0.hasPrefix("SELECT") }
    return (
      all, { table in all.count { $0.contains("FROM \(table) ") || $0.hasSuffix(" \(table)") } }
    )
  }

  private func store(versionCount: Int, itemCount: Int) async throws -> TestStore {
    let test = try TestStore()
    for version in 0..<versionCount {
      let items = (0..<itemCount).map {
        $0 % versionCount == version ? "i\($0)=\(version)" : "i\($0)"
      }
      _ = try await test.service.commit(.init(list: .parks, snapshot: .of(items)))
    }
    return test
  }

  /// A server asks for an answer of some length first.
  @Test(arguments: [(6, 20), (6, 4000), (300, 300)], [1, 5])
  func deltaReadsEachVersionOnce(size: (versions: Int, items: Int), distance: Int) async throws {
    let test = try await store(versionCount: size.versions, itemCount: size.items)
    let since = Version(max(1, size.versions - distance))
    let (all, count) = try await selects(test) {
      _ = try await test.service.catchUp(
        CatchUpRequest(list: .parks, since: .version(since)), upTo: 4096)
    }
    // The texts of a long list are in blocks, which are rows of their own.
    #expect(all.count - count("blocks") <= 8, "\(all.joined(separator: "\n"))")
    #expect(count("lists") == 1 && count("names") == 1 && count("segments") <= 1)
    #expect(count("versions") == 1, "\(all.joined(separator: "\n"))")
  }

  @Test func commitAndItemReadTheListOnce() async throws {
    let test = try await store(versionCount: 6, itemCount: 20)
    let snapshot = try Snapshot.of((0..<21).map { "i\($0)=7" })
    let statements = try await test.statements {
      _ = try await test.service.commit(.init(list: .parks, snapshot: snapshot))
    }
    #expect(statements.count <= 24, "\(statements.joined(separator: "\n"))")
    let (all, count) = try await selects(test) {
      _ = try await test.service.item("i3", of: .parks)
    }
    #expect(all.count <= 8, "\(all.joined(separator: "\n"))")
    #expect(count("lists") == 1 && count("versions") == 1 && count("head_parts") == 2)
  }
}
