import Foundation
import TestSupport
import Testing

/// The README and the pages under `Documentation` are true: their sessions print what they show, and
/// what they link to and name exists. `LISTSYNC_UPDATE_DOCUMENTATION=1` writes the sessions anew.
@Suite struct PageTests {
  /// The paths of all pages, from the project's root.
  static let pages: [String] = {
    let folder = Project.root.appendingPathComponent("Documentation")
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    let pages = (names ?? []).filter { $0.hasSuffix(".md") }.sorted().map { "Documentation/\($0)" }
    return ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] + pages
  }()

  private static func text(_ page: String) throws -> String {
    try String(contentsOf: Project.root.appendingPathComponent(page), encoding: .utf8)
  }

  @Test(arguments: pages) func everySessionPrintsWhatThePageShows(page: String) async throws {
    let parts = try Self.text(page).components(separatedBy: "```console\n")
    let harness = try CommandLineHarness()
    try FileManager.default.createSymbolicLink(
      at: harness.folder.appendingPathComponent("Examples"),
      withDestinationURL: Project.root.appendingPathComponent("Examples"))
    var written = parts[0]
    for part in parts.dropFirst() {
      let end = try #require(part.range(of: "```")).lowerBound
      var printed = ""
      for command in part[..<end].split(separator: "\n") where command.hasPrefix("$ listsync ") {
        let outcome = try await harness.run(Self.words(in: command.dropFirst("$ listsync ".count)))
        #expect([0, 1].contains(outcome.exitCode), "\(command): \(outcome)")
        printed += command + "\n" + outcome.text + outcome.errorText
      }
      if ProcessInfo.processInfo.environment["LISTSYNC_UPDATE_DOCUMENTATION"] == nil {
        #expect(part[..<end] == printed, "LISTSYNC_UPDATE_DOCUMENTATION=1 writes it anew")
      }
      written += "```console\n" + printed + part[end...]
    }
    if ProcessInfo.processInfo.environment["LISTSYNC_UPDATE_DOCUMENTATION"] != nil {
      try written.write(
        to: Project.root.appendingPathComponent(page), atomically: true, encoding: .utf8)
    }
  }

  @Test func theReadmeShowsASessionOfSixCommands() throws {
    let session = try #require(
      try Self.text("README.md").components(separatedBy: "```").dropFirst().first)
    #expect(session.hasPrefix("console\n"))
    #expect(session.components(separatedBy: "\n$ listsync ").count == 7)
  }

  @Test(arguments: pages) func everyLinkLeadsToAFile(page: String) throws {
    let folder = Project.root.appendingPathComponent(page).deletingLastPathComponent()
    let targets = try Self.text(page).components(separatedBy: "](").dropFirst()
      .compactMap { $0.split(separator: ")").first }.filter { !$0.hasPrefix("http") }
    for target in targets {
      let path = folder.appendingPathComponent(String(target)).path
      #expect(FileManager.default.fileExists(atPath: path), "\(page) links to \(target)")
    }
  }

  @Test func everyPromiseNamesAnExistingTest() throws {
    // On that page, a word in backquotes without a space or sign is a test, or its suite.
    let names = Self.quoted(try Self.text("Documentation/Promises.md"))
      .filter { $0 != "diverged" && $0.allSatisfy { $0.isLetter || $0 == "." } }
      .flatMap { $0.components(separatedBy: ".") }
    #expect(names.count > 10)
    let tests = try Self.sources(in: "Tests")
    for name in names { #expect(tests.contains(name), "no test is called \(name)") }
  }

  /// `SyncService.docc/Ways.md` names functions by their type.
  @Test func everyFunctionOfTheWaysPageExists() throws {
    let names = Self.quoted(try Self.text("Sources/SyncService/SyncService.docc/Ways.md"))
      .map { $0.components(separatedBy: ".") }
    #expect(names.count > 50)
    let sources = try Self.sources(in: "Sources")
    for name in names {
      let (type, function) = (name[0], name.count == 2 ? name[1] : "")
      let isThere = ["func \(function)(", "func \(function)<", "var \(function):"]
        .contains { sources.contains($0) }
      #expect(
        (isThere || function == "init") && sources.contains(type), "nothing is called \(name)")
    }
  }

  /// The parts of a text that stand in single backquotes.
  private static func quoted(_ text: String) -> [String] {
    text.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
  }

  /// Splits a command at spaces outside of double quotes.
  private static func words(in command: Substring) -> [String] {
    command.components(separatedBy: "\"").enumerated().flatMap { index, part in
      index % 2 == 1 ? [part] : part.components(separatedBy: " ").filter { !$0.isEmpty }
    }
  }

  private static func sources(in folder: String) throws -> String {
    let folder = Project.root.appendingPathComponent(folder)
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return try (files?.allObjects ?? []).compactMap { $0 as? URL }
      .filter { $0.pathExtension == "swift" }
      .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
  }
}
