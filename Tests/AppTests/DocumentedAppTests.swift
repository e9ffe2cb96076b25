import Foundation
import TestSupport
import Testing

/// The Swift that the pages show for apps compiles: its lines stand between the marks in this
/// folder or, for SwiftUI, in the app that `make apple` compiles, and no other lines do.
@Suite struct DocumentedAppTests {
  /// The pages, each with the heading of the part for apps; nil for the whole page.
  private static let pages: [(path: String, heading: String?)] = [
    ("Documentation/Library.md", "\n## Update a view\n"), ("Documentation/Client.md", nil),
    ("Documentation/Tutorial.md", nil), ("Documentation/Apps.md", nil),
    ("Sources/SyncClient/SyncClient.docc/SyncClient.md", nil),
  ]

  @Test func pagesForAppsShowTheLinesThatAreCompiled() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let files = ["ClientApp", "TableApp", "ViewApp", "../Apple/Sources/ParksApp/ParksList"]
    let compiled = try files.flatMap { name in
      try parts(
        of: String(
          contentsOf: folder.appendingPathComponent("\(name).swift"), encoding: .utf8),
        from: "// page\n", to: "// end\n")
    }
    #expect(compiled.count > 40)
    var shown: Set<String> = []
    for page in Self.pages {
      var text = try String(
        contentsOf: Project.root.appendingPathComponent(page.path), encoding: .utf8)
      if let heading = page.heading {
        text = text.components(separatedBy: heading)[1].components(separatedBy: "\n## ")[0]
      }
      let lines = parts(of: text, from: "```swift\n", to: "```\n")
      #expect(!lines.isEmpty, "\(page) shows no Swift")
      for line in lines where !compiled.contains(line) {
        Issue.record("\(page.path) shows what no test compiles: \(line)")
      }
      shown.formUnion(lines)
    }
    for line in compiled where !shown.contains(line) { Issue.record("no page shows: \(line)") }
  }

  /// The lines between two marks, without comments at their ends and white space.
  private func parts(of text: String, from start: String, to end: String) -> [String] {
    text.components(separatedBy: start).dropFirst()
      .flatMap { $0.components(separatedBy: end)[0].components(separatedBy: "\n") }
      .map { $0.components(separatedBy: "  //")[0].trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix("import ") }
  }
}
