import Foundation
import Testing

/// The advice of refused files, followed as a person would.
struct AdviceTests {
  /// A text that comes again would send people in a circle.
  @Test(arguments: BadInputTests.cases)
  func adviceLeadsToACommitOrEnds(_ bad: BadInputTests.Case) async throws {
    let harness = try CommandLineHarness()
    try harness.write(bad.bytes, to: bad.fileName)
    var options = bad.options
    var texts: [String] = []
    while true {
      let outcome = try await harness.run(["commit", "l", bad.fileName] + options)
      if outcome.exitCode == 0 { return }
      try #require(!texts.contains(outcome.errorText), "\(options): \(outcome.errorText)")
      texts.append(outcome.errorText)
      guard let next = Self.following(outcome.errorText, options) else { return }
      options = next
    }
  }

  /// Both ways of the advice on ids that another rule finds.
  @Test func adviceOnOtherIDsLeadsToACommit() async throws {
    let harness = try CommandLineHarness()
    let list = #"[{"code":"DE","iso":"DEU"},{"code":"FR","iso":"FRA"}]"#
    try await harness.succeed("commit", "l", "-", "--id", "code", input: list)
    let given = ["--id", "iso"]
    let refused = try await harness.run(["commit", "l", "-"] + given, input: Array(list.utf8))
    expectRefusal(
      refused, code: 1,
      says: [
        "none of the ids of its 2 items would stay; they were found by 'code', and would be found "
          + "by 'iso'", "Leave out --id", "add --new-ids",
      ])
    let added = try #require(Self.following(refused.errorText, given))
    #expect(added == given + ["--new-ids"])
    let same = try await harness.succeed("commit", "l", "-", input: list)
    #expect(same.text.contains("unchanged"))
    let new = try await harness.run(["commit", "l", "-"] + added, input: Array(list.utf8))
    #expect(new.exitCode == 0 && new.text.contains("2 removed, 2 inserted"), "\(new)")
    #expect(
      new.errorText == "l: ids are found by 'iso' from now on, and were found by 'code'\n")
  }

  /// The options with the one that a text names; nil if it names none that is new.
  private static func following(_ text: String, _ options: [String]) -> [String]? {
    if text.contains("add --new-ids"), !options.contains("--new-ids") {
      return options + ["--new-ids"]
    }
    if text.contains("leave out --strict-rows") { return options.filter { $0 != "--strict-rows" } }
    let separator = match("add --separator '?(tab|;|[^' ])'?", text)
    if let separator, !options.contains("--separator") {
      return options + ["--separator", separator]
    }
    if let column = match("there are: '([^']{1,40})'[,\n](?s:.*) --id", text) {
      let absent = match("there is no column '([^']*)'", text)
      let named = options.map { $0 == absent ? column : $0 }
      return named == options ? options + ["--id", column] : named
    }
    // Some items lack the member that was named first.
    let isNamed = options.contains("--id")
    if let id = match(isNamed ? "with --id '([^']*[|][^']*)'" : "--id '([^']*)'", text) {
      let others = options.firstIndex(of: "--id").map {
        Array(options[..<$0] + options[($0 + 2)...])
      }
      return (others ?? options) + ["--id", id]
    }
    let rules: [(pattern: String, option: String)] = [
      ("use '--id (\\.)", "--id"),
      ("Arrays are at: ([^,. ]+).* Name one with --items", "--items"),
      ("--duplicates (keep-first)", "--duplicates"), ("add --quoting (none)", "--quoting"),
      ("--format (csv)", "--format"),
    ]
    for (pattern, option) in rules where !options.contains(option) {
      if let value = match(pattern, text) { return options + [option, value] }
    }
    return text.contains("--force-cut") && !options.contains("--force-cut")
      ? options + ["--force-cut"] : nil
  }

  /// What the first group of a pattern matches.
  private static func match(_ pattern: String, _ text: String) -> String? {
    let found = (try? NSRegularExpression(pattern: pattern))?
      .firstMatch(in: text, range: NSRange(text.startIndex..., in: text))
    return found.flatMap { Range($0.range(at: 1), in: text) }.map { String(text[$0]) }
  }
}
