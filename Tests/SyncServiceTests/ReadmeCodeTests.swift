import Foundation
import ListChanges
import ListModel
import ListStore
import SQLiteStore
import SyncService
import TestSupport
import Testing

/// The README's Swift compiles and does what it says: its lines are those between the marks here.
@Suite struct ReadmeCodeTests {
  @Test func aCommitAndItsDeltaAreTenLines() async throws {
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("parks.db").path
    // README
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
    // README
    let changes = try old.changes(to: new)
    let batch = changes.batchUpdates()
    // end
    #expect(batch.inserted == [0])
  }

  @Test func theReadmeShowsThisCode() throws {
    let readme = try words(Project.root.appendingPathComponent("README.md"))
    let parts = try String(contentsOfFile: #filePath, encoding: .utf8)
      .components(separatedBy: "    // README\n").dropFirst()
      .compactMap { $0.components(separatedBy: "    // end\n").first }
    #expect(parts.count == 2)
    for line in parts.flatMap({ statements(in: $0) }) {
      #expect(readme.contains(line), "the README lacks: \(line)")
    }
  }

  /// The text without white space; the path of the store is the one difference.
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
