import Foundation
import ListDocuments
import ListModel
import Testing

/// `apply`: a snapshot file and deltas, without a store.
struct ApplyTests {
  /// The parks with `1.json`, `2.json` and `3.json`, as `show` prints versions 1 to 3.
  private func harness() async throws -> CommandLineHarness {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("edit", "parks", "--remove", "arches")
    for version in 1...3 {
      let list = try await harness.succeed("show", "parks@\(version)").output
      try harness.write(list, to: "\(version).json")
    }
    return harness
  }

  private func list(_ version: Int, _ harness: CommandLineHarness) throws -> String {
    try String(contentsOf: harness.url("\(version).json"), encoding: .utf8)
  }

  @Test func everyFormOfADeltaLeadsToTheNextList() async throws {
    let harness = try await harness()
    let delta = ["delta", "parks", "--since", "1"]
    for form in [[], ["--as", "merge"], ["--smaller"], ["--limit", "1"]] {
      try harness.write(try await harness.run(delta + form).output, to: "delta.json")
      let next = try await harness.succeed("apply", "1.json", "delta.json")
      #expect(next.text == (try list(form == ["--limit", "1"] ? 2 : 3, harness)), "\(form)")
    }
    try harness.write(
      try await harness.succeed(
        "delta", "parks", "--since", "2-00000000000000000000000000000000", "--fallback", "snapshot"
      )
      .output, to: "whole.json")
    #expect(try await harness.succeed("apply", "1.json", "whole.json").text == list(3, harness))
  }

  @Test func linesOfAReplayAndSeveralFilesAreAppliedInTheirOrder() async throws {
    let harness = try await harness()
    let lines = try await harness.succeed("replay", "parks").output
    let all = try await harness.run(["apply", "-", "steps"], input: Array("[]".utf8))
    #expect(all.exitCode == 1 && all.errorText.contains("cannot read steps"))
    try harness.write(lines, to: "steps")
    #expect(
      try await harness.succeed("apply", "-", "steps", input: "[]").text == list(3, harness))
    try harness.write(
      try await harness.succeed("delta", "parks", "--since", "1", "--to", "2").output, to: "a")
    let last = try await harness.succeed("replay", "parks", "--from", "2").text
    #expect(
      try await harness.succeed("apply", "1.json", "a", "-", input: last).text == list(3, harness))
    #expect(try await harness.succeed("apply", "3.json", "-").text == list(3, harness))
  }

  @Test func outputAppearsOnlyWhenItIsComplete() async throws {
    let harness = try await harness()
    let steps = try await harness.succeed("replay", "parks", "--from", "1").output
    try harness.write(steps, to: "steps")
    let told = try await harness.succeed("apply", "1.json", "steps", "-o", "new.json")
    #expect(told.text == "new.json: 2 deltas applied; 4 items\n")
    #expect(
      try Data(contentsOf: harness.url("new.json")) == Data(contentsOf: harness.url("3.json")))
    expectRefusal(
      try await harness.run("apply", "1.json", "steps", "-o", "new.json"), code: 1,
      says: ["new.json is there already", "--force"])
    let before = try harness.fileNames()
    try harness.write(Array(steps.dropLast(5)), to: "cut")
    expectRefusal(
      try await harness.run("apply", "1.json", "cut", "-o", "other.json"), code: 1,
      says: ["cut: line 2, column"])
    #expect(try harness.fileNames() == (before + ["cut"]).sorted())
    let own = try await harness.succeed(
      "apply", "1.json", "steps", "--output", "1.json", "--force", "--json")
    #expect(own.text.contains("\"deltas\":2") && own.text.contains("\"count\":4"), "\(own)")
    #expect(try list(1, harness) == list(3, harness))
  }

  @Test func unsuitableDeltaIsRefusedWithItsPlace() async throws {
    let harness = try await harness()
    let steps = try await harness.succeed("replay", "parks", "--from", "1").text
    let delta = try DeltaDocument(Array(try #require(steps.split(separator: "\n").first).utf8))
    try harness.write(steps, to: "steps")
    try harness.write(steps.replacingOccurrences(of: "Grand", with: "Great"), to: "changed")
    try harness.write(steps.replacingOccurrences(of: "zion", with: "sion"), to: "misfit")
    try harness.write(steps + "{\"format\":\"other\"}\n", to: "other")
    try harness.write(
      try await harness.succeed(
        "delta", "parks", "--since", "1", "--as", "batch"
      ).text, to: "batch")
    let refusals: [([String], Int32, [String])] = [
      (["2.json", "steps"], 5, ["steps:1:1: ", "\(delta.from.root)", "\(delta.to.root)"]),
      (["1.json", "changed"], 6, ["changed:1:1: ", "the delta promises \(delta.to.root)"]),
      (["1.json", "misfit"], 6, ["misfit:1:1: the changes do not fit"]),
      (["1.json", "other"], 1, ["other:3:1: /format is not \"list-delta/1\" or"]),
      (["1.json", "batch"], 1, ["batch:1:1: /rendering is not \"merge\""]),
      (["1.json", "steps", "--id", "name"], 5, ["with the --id of the list"]),
      (["-", "-"], 2, ["only one of the files"]), (["1.json"], 2, ["delta"]),
      (["1.json", "steps", "--force"], 2, ["--force is for the file of --output"]),
    ]
    for (arguments, code, words) in refusals {
      expectRefusal(try await harness.run(["apply"] + arguments), code: code, says: words)
    }
  }
}
