import Foundation
import ListChanges
import ListModel
import ListStore
import SQLiteStore
import SyncService
import TestSupport
import Testing

/// The Swift of `Documentation/Library.md` compiles and does what it says: its lines are those
/// between the marks here.
@Suite struct DocumentedCodeTests {
  @Test func exampleCommitsAListAndReadsItsDelta() async throws {
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("parks.db").path
    // page
    let store = try SQLiteStore(path: path, ifAbsent: .create)
    let service = SyncService(store: store) { Timestamp(Date()) }
    let snapshot = try Snapshot([Item(id: "zion", content: Content(json: #"{"id":"zion"}"#))])
    let outcome = try await service.commit(
      CommitRequest(list: ListName("parks")!, snapshot: snapshot))
    let delta = try await service.delta(of: ListName("parks")!, since: .version(.zero))
    // end
    #expect(outcome.state.cursor?.version == Version(1))
    #expect(delta.changes.inserted.map(\.to) == [0])
    let (old, new) = ([Item](), snapshot.items)
    // page
    let changes = try old.changes(to: new)
    let batch = changes.batchUpdates()
    // end
    #expect(batch.inserted == [0])
  }

  @Test func thePageShowsThisCode() throws {
    let page = try words(Project.root.appendingPathComponent("Documentation/Library.md"))
    let parts = try String(contentsOfFile: #filePath, encoding: .utf8)
      .components(separatedBy: "    // page\n").dropFirst()
      .compactMap { $0.components(separatedBy: "    // end\n").first }
    #expect(parts.count == 2)
    for line in parts.flatMap({ statements(in: $0) }) {
      #expect(page.contains(line), "it lacks: \(line)")
    }
  }

  /// The text without white space, and with one path for the store.
  private func words(_ file: URL) throws -> String {
    try String(contentsOf: file, encoding: .utf8)
      .replacingOccurrences(of: "\"parks.db\"", with: "path").filter { !$0.isWhitespace }
  }

  /// Each statement starts with `let`.
  private func statements(in part: String) -> [String] {
    part.components(separatedBy: "    let ").dropFirst()
      .map { "let" + $0.filter { !$0.isWhitespace } }
  }
}
