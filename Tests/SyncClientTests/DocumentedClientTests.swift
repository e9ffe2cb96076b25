import Foundation
import ListChanges
import ListModel
import SyncClient
import SyncClientHTTP
import TestSupport
import Testing

/// The Swift of `Documentation/Client.md` compiles: its lines are those between the marks here.
@Suite struct DocumentedClientTests {
  // page
  struct Park: Decodable, Sendable { let id, name: String }
  // end

  private func follow(_ show: ([Park], BatchUpdates) -> Void) async throws {
    // page
    let replica = Replica<Park>(
      of: ListName("parks")!, at: try ServerAddress("https://lists.example"),
      storage: .file("parks.replica"))
    try await replica.start()
    for try await update in replica.updates {
      show(update.after, update.batchUpdates)
    }
    // end
  }

  @Test func thePageShowsThisCode() throws {
    func bare(_ text: String) -> String { text.filter { !$0.isWhitespace } }
    let page = try String(
      contentsOf: Project.root.appendingPathComponent("Documentation/Client.md"), encoding: .utf8)
    let shown = bare(page).replacingOccurrences(of: "by:", with: "")
      .replacingOccurrences(of: "//oneperformBatchUpdates", with: "")
    let parts = try String(contentsOfFile: #filePath, encoding: .utf8)
      .components(separatedBy: "// page\n").dropFirst()
      .compactMap { $0.components(separatedBy: "// end\n").first }
    #expect(parts.count == 2)
    for part in parts { #expect(shown.contains(bare(part)), "the page lacks: \(part)") }
  }
}
