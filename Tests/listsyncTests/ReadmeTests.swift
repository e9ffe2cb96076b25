import Foundation
import TestSupport
import Testing

/// The README's session prints what the README says. `LISTSYNC_UPDATE_README=1` writes it anew.
@Suite struct ReadmeTests {
  private static let file = Project.root.appendingPathComponent("README.md")

  @Test func theSessionPrintsWhatTheReadmeSays() async throws {
    let readme = try String(contentsOf: Self.file, encoding: .utf8)
    let start = try #require(readme.range(of: "```console\n")).upperBound
    let end = try #require(readme.range(of: "```", range: start..<readme.endIndex)).lowerBound
    let shown = String(readme[start..<end])
    let commands = shown.split(separator: "\n").filter { $0.hasPrefix("$ listsync ") }
    #expect(commands.count >= 6)

    let harness = try CommandLineHarness()
    try FileManager.default.createSymbolicLink(
      at: harness.folder.appendingPathComponent("Examples"),
      withDestinationURL: Project.root.appendingPathComponent("Examples"))
    var printed = ""
    for command in commands {
      let outcome = try await harness.run(Self.words(in: command.dropFirst("$ listsync ".count)))
      #expect(outcome.exitCode == 0, "\(command): \(outcome)")
      printed += command + "\n" + outcome.text + outcome.errorText
    }
    if ProcessInfo.processInfo.environment["LISTSYNC_UPDATE_README"] != nil {
      try readme.replacingCharacters(in: start..<end, with: printed)
        .write(to: Self.file, atomically: true, encoding: .utf8)
    } else {
      #expect(shown == printed, "run the tests with LISTSYNC_UPDATE_README=1 to write it anew")
    }
  }

  @Test func theLimitsAreThoseOfTheProgram() async throws {
    let readme = try String(contentsOf: Self.file, encoding: .utf8)
    let limits = try await CommandLineHarness().succeed("limits").text
    #expect(readme.contains("```text\n$ listsync limits\n\(limits)```\n"))
  }

  /// Splits a command at spaces outside of double quotes.
  private static func words(in command: Substring) -> [String] {
    var words: [String] = []
    for (position, part) in Self.parts(of: command, at: "\"").enumerated() {
      words += position % 2 == 1 ? [part] : Self.parts(of: part[...], at: " ")
    }
    return words.filter { !$0.isEmpty }
  }

  private static func parts(of text: Substring, at separator: Character) -> [String] {
    text.split(separator: separator, omittingEmptySubsequences: false).map { String($0) }
  }

  @Test func everyPromiseNamesATestThatExists() throws {
    let readme = try String(contentsOf: Self.file, encoding: .utf8)
    let start = try #require(readme.range(of: "## Promises")).upperBound
    let end = try #require(readme.range(of: "\n## ", range: start..<readme.endIndex)).lowerBound
    // In the promises, what stands in backquotes and has no space or sign is a test, or its suite.
    let quoted = Self.parts(of: readme[start..<end], at: "`").enumerated()
      .filter { $0.offset % 2 == 1 }.map(\.element)
    let names = quoted.filter { $0 != "diverged" && $0.allSatisfy { $0.isLetter || $0 == "." } }
      .flatMap { Self.parts(of: $0[...], at: ".") }
    #expect(names.count > 10)
    let tests = try Self.sources(in: "Tests")
    for name in names { #expect(tests.contains(name), "no test is called \(name)") }
  }

  /// `SyncService.docc/Ways.md` names functions by their type.
  @Test func everyFunctionOnTheWaysExists() throws {
    let page = try String(
      contentsOf: Project.root.appendingPathComponent(
        "Sources/SyncService/SyncService.docc/Ways.md"), encoding: .utf8)
    let names = Self.parts(of: page[...], at: "`").enumerated()
      .filter { $0.offset % 2 == 1 }.map { Self.parts(of: $0.element[...], at: ".") }
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

  private static func sources(in folder: String) throws -> String {
    let folder = Project.root.appendingPathComponent(folder)
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return try (files?.allObjects ?? []).compactMap { $0 as? URL }
      .filter { $0.pathExtension == "swift" }
      .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
  }
}
