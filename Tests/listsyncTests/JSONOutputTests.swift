import Foundation
import ListDocuments
import ListModel
import Testing

/// Answers for programs: one JSON document, or one a line.
struct JSONOutputTests {
  private typealias Object = [String: Any]
  private let before = Example.url("parks-before.json").path
  private let after = Example.url("parks-after.json").path

  private static let stateMembers: Set = ["cursor", "version", "count", "root"]
  private static let versionMembers: Set = [
    "cursor", "version", "committed_at", "author", "message", "count", "changes", "root",
    "previous",
  ]

  private func object(_ value: Any?) throws -> Object { try #require(value as? Object) }

  private func objects(_ value: Any?) throws -> [Object] { try #require(value as? [Object]) }

  @Test func listsOutputContainsEveryHead() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("commit", "empty", "-", input: "[]")
    let lists = try objects(await harness.succeed("lists", "--json").json())
    #expect(lists.map { $0["list"] as? String } == ["empty", "parks"])
    #expect(lists[0]["committed_at"] is NSNull)
    #expect(lists[1]["oldest"] as? Int == 1)
    #expect((lists[1]["committed_at"] as? String)?.hasSuffix("Z") == true)
    let head = try object(lists[1]["head"])
    #expect(Set(head.keys) == Self.stateMembers)
    #expect(head["version"] as? Int == 2 && head["count"] as? Int == 5)
  }

  @Test func bothVerbsPrintEveryRenderingAsOneJSONDocument() async throws {
    let harness = try await CommandLineHarness.withParks()
    for rendering in Rendering.allCases.map(\.rawValue) {
      let delta = try await harness.succeed(
        "delta", "parks", "--since", "1", "--as", rendering
      ).json()
      let compared = try await harness.succeed("compare", before, after, "--as", rendering).json()
      if rendering == "json-patch" {
        #expect(try objects(delta).count == 4)
        #expect(try objects(compared).count == 4)
      } else {
        #expect(try object(delta)["rendering"] as? String == rendering)
        #expect(try object(compared)["rendering"] as? String == rendering)
        #expect(try object(object(delta)["to"])["version"] as? Int == 2)
      }
    }
    let refused = try await harness.run("delta", "parks", "--since", "1", "--as", "magic")
    #expect(refused.exitCode == 2 && refused.errorText.contains("index-update"))
  }

  @Test func linesOfALogHaveErrorsForProgramsToo() async throws {
    let harness = try await CommandLineHarness.withParks()
    let lines = try await harness.succeed("log", "parks", "--json", "--format", "ndjson").text
    #expect(lines.split(separator: "\n").allSatisfy { $0.hasPrefix("{\"cursor\":") })
    #expect(lines.split(separator: "\n").count == 2)
    let refused = try await harness.run("log", "films", "--json", "--format", "ndjson")
    #expect(refused.text.isEmpty && refused.errorText.hasPrefix("{\"type\":"))
    let people = try await harness.run("log", "parks", "--json", "--format", "full")
    #expect(people.exitCode == 2)
  }

  @Test func listsOfAnEmptyStoreAreAnEmptyArray() async throws {
    let harness = try await CommandLineHarness.withParks()
    try harness.change("DELETE FROM lists; DELETE FROM names")
    #expect(try objects(await harness.succeed("lists", "--json").json()).isEmpty)
  }

  @Test func logIsAnArrayOfVersionsNewestFirst() async throws {
    let harness = try await CommandLineHarness.withParks()
    let log = try objects(await harness.succeed("log", "parks", "--json").json())
    #expect(log.map { $0["version"] as? Int } == [2, 1])
    #expect(log.allSatisfy { Set($0.keys) == Self.versionMembers })
    #expect(log[0]["message"] as? String == "Spring update")
    #expect(log[0]["author"] is NSNull)
    let counts = ["removed": 0, "moved": 2, "inserted": 1, "updated": 1]
    #expect(log[0]["changes"] as? [String: Int] == counts)
    let (cursor, chain) = (log[1]["cursor"] as? String, log[0]["previous"] as? String)
    #expect(try #require(cursor) == "1-\(try #require(chain).prefix(32))")
    #expect(log[1]["previous"] as? String == Chain.zero.hex)
  }

  @Test func historyOfAnItemContainsTheOldAndNewMembers() async throws {
    let harness = try CommandLineHarness()
    let versions = [
      #"[{"id":"a","name":"A","size":1,"old":true}]"#,
      #"[{"id":"b"},{"id":"a","name":"B","size":1,"new":[1]}]"#, #"[{"id":"b"}]"#,
    ]
    for text in versions { try await harness.succeed("commit", "l", "-", input: text) }
    let history = try objects(await harness.succeed("log", "l", "--item", "a", "--json").json())
    #expect(history.map { $0["version"] as? Int } == [3, 2, 1])
    let (removed, updated, inserted) = (history[0], history[1], history[2])
    #expect(removed["from"] as? Int == 1 && removed["to"] == nil && removed["content"] == nil)
    #expect(inserted["from"] == nil && inserted["to"] as? Int == 0)
    #expect(updated["from"] as? Int == 0 && updated["to"] as? Int == 1)
    #expect(updated["moved"] as? Bool == false)
    #expect(try object(updated["content"])["name"] as? String == "B")
    let members = try objects(updated["members"])
    #expect(members.map { $0["path"] as? String } == ["/name", "/new", "/old"])
    #expect(members[0]["old"] as? String == "A" && members[0]["new"] as? String == "B")
    #expect(members[1]["old"] == nil && members[1]["new"] as? [Int] == [1])
    #expect(members[2]["old"] as? Bool == true && members[2]["new"] == nil)
    #expect(try objects(inserted["members"]).isEmpty && objects(removed["members"]).isEmpty)
  }

  @Test func commitPrintsTheNewHeadAndTheChanges() async throws {
    let harness = try CommandLineHarness()
    try await harness.succeed("commit", "parks", before)
    let committed = try object(await harness.succeed("commit", "parks", after, "--json").json())
    #expect(Set(committed.keys) == ["list", "outcome", "head", "changes"])
    #expect(committed["list"] as? String == "parks")
    #expect(committed["outcome"] as? String == "committed")
    #expect(
      committed["changes"] as? [String: Int] == [
        "removed": 0, "moved": 2, "inserted": 1, "updated": 1,
      ])
    let unchanged = try object(await harness.succeed("commit", "parks", after, "--json").json())
    #expect(unchanged["outcome"] as? String == "unchanged")
    let heads = try [object(committed["head"]), object(unchanged["head"])]
    #expect(heads.allSatisfy { Set($0.keys) == Self.stateMembers && $0["version"] as? Int == 2 })
  }

  @Test func dryRunIsTheDeltaToAStateWithoutACursor() async throws {
    let harness = try await CommandLineHarness.withParks()
    let output = try await harness.succeed("commit", "parks", before, "--dry-run", "--json").output
    let delta = try DeltaDocument(output)
    #expect(delta.from.cursor?.version.number == 2)
    #expect(delta.to.cursor == nil && delta.to.count == 4)
    #expect(delta.changes.removed.map(\.id.text) == ["grand-canyon"])
  }

  @Test func replayPrintsOneStepPerLineInSequence() async throws {
    let harness = try await CommandLineHarness.withParks()
    let lines = try await harness.succeed("replay", "parks").lines
    let steps = try lines.map { try DeltaDocument(Array($0.utf8)) }
    #expect(steps.map { $0.from.cursor?.version.number } == [0, 1])
    #expect(steps.map { $0.to.cursor?.version.number } == [1, 2])
    #expect(steps[0].to == steps[1].from)
  }

  @Test func compareHasNoCursors() async throws {
    let harness = try CommandLineHarness()
    let document = try object(await harness.succeed("compare", before, after).json())
    #expect(document["list"] == nil && document["oldest"] == nil)
    for side in ["from", "to"] {
      #expect(Set(try object(document[side]).keys) == ["count", "root"])
    }
  }

  @Test func verifyListsUndamagedListsAndDamage() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("commit", "movies", Example.url("movies/monday.json").path)
    let whole = try object(await harness.succeed("verify", "--json").json())
    #expect(try objects(whole["verified"]).map { $0["list"] as? String } == ["movies", "parks"])
    #expect(try objects(whole["faults"]).isEmpty)

    try harness.change("UPDATE versions SET root = zeroblob(32) WHERE version = 2")
    let outcome = try await harness.run("verify", "--json")
    let damaged = try object(outcome.json())
    let faults = try objects(damaged["faults"])
    #expect(outcome.exitCode == 6)
    #expect(try objects(damaged["verified"]).map { $0["list"] as? String } == ["movies"])
    #expect(faults.count == 1)
    #expect(faults[0]["list"] as? String == "parks" && faults[0]["version"] as? Int == 2)
    #expect((faults[0]["reason"] as? String)?.contains("chain") == true)
  }

  @Test func versionContainsTheProgramSchemaAndLibraryVersions() async throws {
    let harness = try CommandLineHarness()
    let version = try object(await harness.succeed("version", "--json").json())
    #expect(Set(version.keys) == ["listsync", "schema", "sqlite"])
    #expect(version["schema"] as? Int == 1)
    let plain = try await harness.succeed("--version").text
    #expect(version["listsync"].map { plain.hasPrefix("listsync \($0), schema 1, ") } == true)
  }

  @Test func numbersKeepEveryDigit() async throws {
    let harness = try CommandLineHarness()
    let item =
      #"{"id":"n","big":123456789012345678901,"exact":0.1000000000000000055511151231257827}"#
    try await harness.succeed("commit", "l", "-", input: "[\(item)]")
    let text = try await harness.succeed("delta", "l", "--since", "0").text
    #expect(text.contains(#""big":123456789012345678901,"#))
    #expect(text.contains(#""exact":0.1000000000000000055511151231257827,"#))
  }

  @Test(
    arguments: [
      (["log", "none"], "not-found", 404, 3), (["diff", "parks", "9"], "no-such-version", 404, 3),
      (["log", "parks", "--item", "x"], "no-such-item", 404, 3),
      (["commit", "parks", "bad.json"], "unprocessable", 422, 1),
      (["diff", "parks", "2-00000000000000000000000000000000"], "diverged", 409, 5),
      (["edit", "parks", "--remove", "zion", "--expect", "1"], "precondition-failed", 412, 4),
      (["comit", "parks"], "invalid-request", 400, 2),
      (["prune", "parks"], "invalid-request", 400, 2),
      (["log", "parks", "-n", "x"], "invalid-request", 400, 2),
      // A server has no such kind.
      (["commit", "parks", "none.json"], nil, nil, 1),
    ] as [([String], String?, Int?, Int)])
  func errorIsAProblemDocumentOnOneLine(
    arguments: [String], kind: String?, status: Int?, exitCode: Int
  ) async throws {
    let harness = try await CommandLineHarness.withParks()
    try harness.write("[{", to: "bad.json")
    let outcome = try await harness.run(arguments + ["--json"])
    #expect(outcome.exitCode == exitCode && outcome.output.isEmpty, "\(outcome)")
    #expect(outcome.errorText.hasSuffix("}\n") && outcome.errorText.count { $0 == "\n" } == 1)
    let problem = try object(JSONSerialization.jsonObject(with: Data(outcome.errorText.utf8)))
    #expect(problem["type"] as? String == kind.map { "urn:listsync:problem:\($0)" })
    #expect(problem["status"] as? Int == status)
    #expect((problem["title"] != nil) == (kind != nil))
    #expect(problem["exit_code"] as? Int == exitCode)
    #expect((problem["detail"] as? String)?.isEmpty == false)
    let advice = try #require(problem["advice"] as? String)
    if exitCode == 2, arguments[0] != "comit" { #expect(advice.hasPrefix("Usage: listsync ")) }
  }
}
