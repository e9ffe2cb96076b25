import Testing

@testable import listsync

struct ArgumentWordsTests {
  @Test(arguments: [
    (["--store", "x", "lists"], ["lists", "--store", "x"]),
    (["--store=x", "--json", "log", "parks"], ["log", "parks", "--store=x", "--json"]),
    (["--json", "commit", "l", "--", "-x"], ["commit", "l", "--json", "--", "-x"]),
    (["--store", "pull", "pull", "l"], ["pull", "l", "--store", "pull"]),
    // Nothing is moved behind a verb that is not there.
    (["--store", "x"], ["--store", "x"]), (["--json"], ["--json"]),
    (["--stores", "x", "lists"], ["--stores", "x", "lists"]),
    (["lists", "--store", "x"], ["lists", "--store", "x"]), ([], []),
  ])
  func optionsBeforeTheVerbAreMovedBehindIt(words: [String], moved: [String]) {
    #expect(ArgumentWords(words).all == moved)
  }

  @Test func storeMayStandBeforeTheVerb() async throws {
    let harness = try CommandLineHarness()
    try await harness.succeed("--store", "x.db", "commit", "l", "-", input: "[]")
    #expect(try await harness.succeed("--json", "--store=x.db", "lists").text.hasPrefix("[\n{"))
    #expect(try harness.fileNames() == ["x.db"])
  }
}
