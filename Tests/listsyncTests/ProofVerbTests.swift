import Foundation
import Testing

/// `prove`, `check-proof` and `verify --against`.
@Suite struct ProofVerbTests {
  private static func cursors(_ harness: CommandLineHarness) async throws -> [String] {
    let log = try await harness.succeed("log", "parks", "--json").json() as? [[String: Any]]
    return (log ?? []).compactMap { $0["cursor"] as? String }.reversed()
  }

  @Test func aProofIsCheckedWithoutAStore() async throws {
    let harness = try await CommandLineHarness.withParks()
    let cursors = try await Self.cursors(harness)
    let proof = try await harness.succeed("prove", "parks@1", "zion", "--until", "head").text
    try harness.write(proof, to: "zion.proof")
    let alone = try CommandLineHarness()
    try alone.write(proof, to: "zion.proof")
    let text = try await alone.succeed("check-proof", "zion.proof", "--cursor", cursors[1]).text
    #expect(text.contains("'zion' is at index 3 of 4 items"))
    let json =
      try await alone.succeed(
        "check-proof", "-", "--cursor", String(cursors[1].prefix(12)), "--json", input: proof
      ).json() as? [String: Any]
    #expect(json?["index"] as? Int == 3)
    expectRefusal(
      try await alone.run("check-proof", "zion.proof", "--cursor", cursors[0]), code: 5,
      says: ["zion.proof: the proof leads to 2-", "--until REV"])
    try alone.write(proof.replacingOccurrences(of: #""index":3"#, with: #""index":2"#), to: "bad")
    expectRefusal(
      try await alone.run("check-proof", "bad", "--cursor", cursors[1]), code: 6,
      says: ["bad: the item is at index 3, and the proof says 2", "forged"])
    expectRefusal(
      try await alone.run("check-proof", "bad", "--cursor", "2"), code: 2,
      says: ["write the cursor as 7-3f9a1c2b7d40"])
    expectRefusal(
      try await harness.run("prove", "parks", "everglades"), code: 3,
      says: ["parks has no item 'everglades' in this version"])
    expectRefusal(
      try await harness.run("prove", "parks", "zion", "--until", "1"), code: 1,
      says: ["is before version", "--until"])
  }

  /// `verify` prints what it verified, and then refuses the history.
  private func expectDivergence(
    _ outcome: CommandLineHarness.Outcome, code: Int32 = 5, says words: [String]
  ) {
    #expect(outcome.exitCode == code, "\(outcome)")
    for word in words { #expect(outcome.errorText.contains(word), "\(outcome)") }
  }

  @Test func aStoreABundleAndAReplicaAreComparedWithKeptCursors() async throws {
    let harness = try await CommandLineHarness.withParks()
    let cursors = try await Self.cursors(harness)
    try harness.write(try await harness.succeed("lists", "--json").text, to: "kept.json")
    try harness.write(try await harness.succeed("log", "parks", "--json").text, to: "log.json")
    try await harness.succeed("bundle", "create", "parks", "-o", "parks.bundle")
    let kept = "parks: its history has 1 kept cursor"
    #expect(
      try await harness.succeed("verify", "--against", "kept.json").text.contains(kept))
    let both = try await harness.succeed(
      "verify", "parks", "--against", "log.json", "--against", cursors[0])
    #expect(both.text.contains("parks: its history has 3 kept cursors"))
    let bundle = try await harness.succeed(
      "bundle", "verify", "parks.bundle", "--against", "kept.json")
    #expect(bundle.text.contains("its history has 1 kept cursor"))
    let other = "2-" + String(repeating: "0", count: 32)
    for words in [
      ["verify", "parks", "--against", other],
      ["bundle", "verify", "parks.bundle", "--against", other],
    ] {
      expectDivergence(
        try await harness.run(words),
        says: ["has another history: version 2 has the cursor", "from one of 1 to 2 on"])
    }
    expectDivergence(
      try await harness.run("verify", "parks", "--against", "log.json", "--against", other),
      says: ["it differs from 2 on"])
    expectRefusal(
      try await harness.run("verify", "--against", other), code: 2, says: ["Name it"])
    expectDivergence(
      try await harness.run("verify", "parks", "--against", "9-00000000"),
      says: ["it ends before version 9"])
    try harness.write("{}", to: "none.json")
    expectRefusal(
      try await harness.run("verify", "--against", "none.json"), code: 1,
      says: ["a document with cursors"])
  }

  @Test func nothingPassesWhereNothingWasCompared() async throws {
    let harness = try await CommandLineHarness.withParks()
    try harness.write(try await harness.succeed("lists", "--json").text, to: "kept.json")
    try await harness.succeed("rename", "parks", "sites")
    try await harness.succeed("bundle", "create", "sites", "-o", "sites.bundle")
    for words in [
      ["verify", "sites", "--against", "kept.json"],
      ["bundle", "verify", "sites.bundle", "--against", "kept.json"],
    ] {
      expectDivergence(
        try await harness.run(words), code: 1,
        says: ["none of the kept cursors is of sites: nothing was compared"])
    }
    expectDivergence(
      try await harness.run("verify", "--against", "kept.json"), code: 3,
      says: ["renamed to sites"])
  }
}
