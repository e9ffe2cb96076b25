import ArgumentParser
import Foundation
import ListModel
import SyncService
import TestSupport
import Testing

@testable import listsync
@testable import listsyncd

/// The help, the completions and the version.
struct HelpTests {
  static let verbs = ListSync.configuration.subcommands.compactMap { $0.configuration.commandName }

  /// Swift derives the name of a verb that does not state it. With 28 verbs, that took more than
  /// half of the processor time of a start.
  @Test func everyVerbStatesItsName() {
    #expect(Self.verbs.count == ListSync.configuration.subcommands.count)
  }

  @Test func verbsIncludeThoseOfTheFirstVersion() {
    #expect(
      Set(Self.verbs).isSuperset(of: [
        "lists", "commit", "log", "show", "diff", "delta", "replay", "compare", "verify", "version",
        "tag", "prune",
      ]))
  }

  @Test func helpShowsAnExampleThatFitsTheTerminalWidth() throws {
    for command in ListSync.configuration.subcommands {
      let lines = ListSync.helpMessage(for: command, columns: 80)
        .split(separator: "\n", omittingEmptySubsequences: false)
      let heading = try #require(lines.firstIndex(of: "EXAMPLE"), "\(command)")
      let examples = lines[(heading + 1)...].prefix { !$0.isEmpty }
      #expect(examples.first?.hasPrefix("  listsync \(command._commandName)") == true)
      // A longer line would be wrapped, and could not be copied.
      #expect(examples.allSatisfy { $0.hasPrefix("  ") && $0.contains("listsync ") })
    }
  }

  /// The Makefile leaves out the checks that ArgumentParser makes at each start of a debug build.
  @Test(arguments: [ListSync._dumpHelp(), ListSyncD._dumpHelp()])
  func everyArgumentOfAVerbCanBeReached(_ help: String) throws {
    let tool = try JSONSerialization.jsonObject(with: Data(help.utf8)) as? [String: Any]
    try checkArguments(of: try #require(tool?["command"] as? [String: Any]))
  }

  /// No two options have one name, and no argument follows one that takes all that are left.
  private func checkArguments(of command: [String: Any]) throws {
    let verb = command["commandName"] ?? ""
    let arguments = try #require(command["arguments"] as? [[String: Any]], "\(verb)")
    let names = arguments.flatMap { $0["names"] as? [[String: String]] ?? [] }
    #expect(Set(names).count == names.count, "\(verb)")
    let positional = arguments.filter { $0["kind"] as? String == "positional" }
    #expect(!positional.dropLast().contains { $0["isRepeating"] as? Bool == true }, "\(verb)")
    for inner in command["subcommands"] as? [[String: Any]] ?? [] { try checkArguments(of: inner) }
  }

  /// A page of `Documentation` names each option, in one of its spellings.
  @Test func everyOptionIsOnAPage() throws {
    let folder = Project.root.appendingPathComponent("Documentation")
    let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".md") }.map {
        try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)
      }.joined()
    var count = 0
    for (verb, command) in Self.commands {
      for option in Self.options(of: command) {
        count += 1
        let isThere = pages.contains(try Regex("\(option)(?![a-z-])"))
        #expect(isThere, "no page names \(option) of \(verb)")
      }
    }
    #expect(count > 100)
  }

  /// All verbs, those inside of others too.
  private static let commands: [(name: String, type: any ParsableCommand.Type)] = {
    ListSync.configuration.subcommands.flatMap { verb in
      [verb] + verb.configuration.subcommands
    }.map { ($0._commandName, $0) }
  }()

  /// The options of a verb's usage, such as `--json`.
  private static func options(of command: any ParsableCommand.Type) -> Set<String> {
    let help = command.helpMessage(columns: 1000).components(separatedBy: "OPTIONS:").dropFirst()
    return Set(
      help.joined().matches(of: /(^|[ ,])(--[a-z][a-z-]+)/).map { String($0.output.2) })
  }

  @Test func helpListsEveryVerbAndEveryExitCode() async throws {
    let harness = try CommandLineHarness()
    let text = try await harness.succeed("--help").text
    for verb in Self.verbs { #expect(text.contains("\n  \(verb) ")) }
    for code in [0, 1, 2, 3, 4, 5, 6, 7, 8, 130] {
      #expect(text.contains(try Regex("(?m)(^|  )\(code)  +[a-z]")))
    }
    #expect(try await harness.succeed("help").text == text)
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func completionScriptContainsEveryVerb(_ shell: String) async throws {
    let harness = try CommandLineHarness()
    let script = try await harness.succeed("--generate-completion-script", shell).text
    #expect(script.contains("listsync"))
    for verb in Self.verbs { #expect(script.contains(verb)) }
  }

  @Test func unknownShellIsAUsageError() async throws {
    let harness = try CommandLineHarness()
    let outcome = try await harness.run("--generate-completion-script", "cmd")
    expectRefusal(outcome, code: 2, says: ["cmd"])
  }

  @Test func versionIsShownInBothWays() async throws {
    let harness = try CommandLineHarness()
    let text = try await harness.succeed("version").text
    #expect(text.hasPrefix("listsync \(Build.version), schema 1, SQLite 3."))
    #expect(try await harness.succeed("--version").text == text)
  }

  @Test(arguments: [("comit", "commit"), ("dif", "diff"), ("lst", "lists")])
  func unknownVerbSuggestsTheNearestOnes(word: String, nearest: String) async throws {
    let outcome = try await CommandLineHarness().run(word, "parks", "--json")
    expectRefusal(outcome, code: 2, says: ["there is no verb '\(word)'", nearest])
  }

  @Test func defaultsOfRevisionsAreWrittenAsArguments() {
    #expect(Revision.head.defaultValueDescription == "head")
    #expect(Revision.version(.zero).defaultValueDescription == "0")
  }

  @Test(arguments: [
    ["prune", "parks"], ["commit", "l", "-", "--items", "data"],
    ["show", "parks@2026-05-15T12:00"],
    ["import-git", ".", "no list name.json"], ["edit", "parks", "--put", "x", "--id", "/~"],
  ])
  func usageErrorShowsTheUsageOfItsVerb(_ arguments: [String]) async throws {
    let outcome = try await CommandLineHarness().run(arguments)
    expectRefusal(
      outcome, code: 2,
      says: [
        "Error: ", "\nUsage: listsync \(arguments[0]) ", "See 'listsync \(arguments[0]) --help'",
      ])
  }
}
