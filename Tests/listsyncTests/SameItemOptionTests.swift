import TestSupport
import Testing

@Suite struct SameItemOptionTests {
  private static let before = #"[{"id":"DE"},{"id":"FR"},{"id":"a=b"}]"#
  private static let after = #"[{"id":"DEU"},{"id":"FRA"},{"id":"c"}]"#

  @Test func fileHasAPairInEachLine() async throws {
    let harness = try CommandLineHarness()
    try await harness.succeed("commit", "l", "-", input: Self.before)
    try harness.write("DE=DEU\n\n[\"a=b\",\"c\"]\n", to: "pairs")
    try await harness.succeed(
      "commit", "l", "-", "--same-from", "pairs", "--same", "FR=FRA", input: Self.after)
    for (id, former) in [("DEU", "DE"), ("FRA", "FR"), ("c", "a=b")] {
      let log = try await harness.succeed("log", "l", "--item", id).text
      #expect(log.contains("inserted at") && log.contains("  \(former)"), "\(log)")
    }
  }

  @Test(arguments: [
    ("DE=DEU\nFR\n", "pairs:2: write the old and the new id as OLD=NEW"),
    ("DE=DEU\nFR=DEU\n", "the id 'DEU' is named twice"),
  ])
  func badLineIsNamedAndNothingIsStored(lines: String, says text: String) async throws {
    let harness = try CommandLineHarness()
    try await harness.succeed("commit", "l", "-", input: Self.before)
    try harness.write(lines, to: "pairs")
    let outcome = try await harness.run(
      ["commit", "l", "-", "--same-from", "pairs"], input: Array(Self.after.utf8))
    #expect(outcome.exitCode == 2 && outcome.errorText.contains(text), "\(outcome)")
    #expect(try await harness.succeed("log", "l").lines.count == 1)
  }
}
