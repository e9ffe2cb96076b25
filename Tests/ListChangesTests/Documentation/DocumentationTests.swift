import Foundation
import Testing

/// Compares the articles with the tests: the Swift shown there is a snippet that runs here.
@Suite struct DocumentationTests {
  @Test func everySwiftBlockOfTheArticlesIsATestedSnippet() throws {
    let snippets = try self.snippets()
    let articles = try files(in: Self.catalog, withExtension: "md")
    #expect(!articles.isEmpty)
    for article in articles {
      for block in Self.swiftBlocks(of: article.lines) {
        // Compared outside the macro, which would print every snippet.
        let isTested = snippets.values.contains(block)
        #expect(
          isTested, "\(article.name) shows what no test runs:\n\(block.joined(separator: "\n"))")
      }
    }
  }

  @Test func everySnippetAppearsInAnArticle() throws {
    let blocks = try files(in: Self.catalog, withExtension: "md").flatMap {
      Self.swiftBlocks(of: $0.lines)
    }
    for (name, snippet) in try snippets() {
      let isShown = blocks.contains(snippet)
      #expect(isShown, "no article shows the snippet \(name)")
    }
  }

  @Test func firstArticleLinksToEveryOtherArticle() throws {
    let articles = try files(in: Self.catalog, withExtension: "md")
    let first = try #require(articles.first { $0.name == "ListChanges.md" })
    for article in articles where article.name != first.name {
      let link = "<doc:\(article.name.dropLast(3))>"
      #expect(first.lines.contains { $0.contains(link) }, "\(link) is missing")
    }
  }

  /// The lines between `// snippet: name` and `// end` in this folder's tests, by name.
  private func snippets() throws -> [String: [String]] {
    var snippets: [String: [String]] = [:]
    for file in try files(in: Self.folder, withExtension: "swift") {
      var name: String?
      for line in file.lines {
        if line.hasPrefix("// snippet: ") {
          name = String(line.dropFirst("// snippet: ".count))
          #expect(name.map { snippets[$0] } == .some(nil), "\(line) stands twice")
          snippets[name ?? ""] = []
        } else if line == "// end" {
          name = nil
        } else if let name, !line.isEmpty {
          snippets[name]?.append(line)
        }
      }
      #expect(name == nil, "a snippet of \(file.name) does not end")
    }
    return snippets
  }

  /// The lines between the fences, without blank lines.
  private static func swiftBlocks(of lines: [String]) -> [[String]] {
    var blocks: [[String]] = []
    var isInside = false
    for line in lines {
      if line == "```swift" {
        isInside = true
        blocks.append([])
      } else if line == "```" {
        isInside = false
      } else if isInside, !line.isEmpty {
        blocks[blocks.count - 1].append(line)
      }
    }
    return blocks
  }

  private struct TextFile {
    let name: String
    /// Without white space at either end, and with single spaces inside.
    let lines: [String]
  }

  private func files(in folder: URL, withExtension ending: String) throws -> [TextFile] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == ending && $0.lastPathComponent != Self.file.lastPathComponent }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
      .map { url in
        let text = try String(contentsOf: url, encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return TextFile(
          name: url.lastPathComponent,
          lines: lines.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") })
      }
  }

  private static let file = URL(filePath: #filePath)
  private static let folder = file.deletingLastPathComponent()
  private static let catalog = folder.deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Sources/ListChanges/ListChanges.docc")
}
