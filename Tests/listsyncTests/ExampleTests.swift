import Foundation
import ListDocuments
import ListModel
import TestSupport
import Testing

/// The lists of `Examples`: from files to documents and back.
struct ExampleTests {
  private func snapshot(_ path: String) throws -> Snapshot {
    try SnapshotReader(options: SnapshotOptions()).read(Example.bytes(path)).snapshot
  }

  @Test func deltaOfTheParksHasOneUpdateOneInsertionAndFewestMoves() async throws {
    let harness = try await CommandLineHarness.withParks()
    let delta = try DeltaDocument(await harness.succeed("delta", "parks", "--since", "1").output)
    #expect(delta.changes.removed.isEmpty)
    #expect(
      delta.changes.moved.map { [$0.id.text, "\($0.from)", "\($0.to)"] } == [
        ["arches", "0", "4"], ["zion", "3", "0"],
      ])
    #expect(
      delta.changes.inserted.map { [$0.item.id.text, "\($0.to)"] } == [["grand-canyon", "1"]])
    #expect(
      delta.changes.updated.map { [$0.item.id.text, "\($0.from)", "\($0.to)"] } == [
        ["great-smoky-mountains", "1", "2"]
      ])
  }

  @Test(arguments: [("1", "2"), ("2", "1"), ("0", "2"), ("2", "0"), ("head~1", "head")])
  func deltaGivesTheNewVersionByteForByte(from: String, to: String) async throws {
    let harness = try await CommandLineHarness.withParks()
    let old = try await harness.succeed("show", "parks@\(from)").output
    let new = try await harness.succeed("show", "parks@\(to)").output
    let delta = try DeltaDocument(
      await harness.succeed("delta", "parks", "--since", from, "--to", to).output)
    let before = try SnapshotReader(options: SnapshotOptions()).read(old).snapshot
    #expect(old != new)
    #expect(SnapshotDocument.encode(try delta.applied(to: before)) == new)
  }

  @Test func everyVersionIsShownInCanonicalForm() async throws {
    let harness = try await CommandLineHarness.withParks()
    for (version, path) in [("1", "parks-before.json"), ("2", "parks-after.json")] {
      let shown = try await harness.succeed("show", "parks@\(version)").output
      #expect(shown == SnapshotDocument.encode(try snapshot(path)))
    }
  }

  @Test func compareGivesTheDeltaWithoutCursors() async throws {
    let harness = try await CommandLineHarness.withParks()
    let delta = try DeltaDocument(await harness.succeed("delta", "parks", "--since", "1").output)
    let (old, new) = (Example.url("parks-before.json"), Example.url("parks-after.json"))
    let compared = try DeltaDocument(await harness.succeed("compare", old.path, new.path).output)
    #expect(compared.changes.removed == delta.changes.removed)
    #expect(compared.changes.moved == delta.changes.moved)
    #expect(compared.changes.inserted == delta.changes.inserted)
    #expect(compared.changes.updated == delta.changes.updated)
    #expect(compared.from == ListState(of: try snapshot("parks-before.json")))
    #expect(compared.to == ListState(of: try snapshot("parks-after.json")))
    #expect(compared.to.root == delta.to.root)
    #expect(compared.list == nil && delta.list?.text == "parks")
  }

  @Test func replayedStepsLeadFromTheEmptyListToTheHead() async throws {
    let harness = try await CommandLineHarness.withParks()
    let replay = try await harness.succeed("replay", "parks", "--check")
    #expect(
      replay.errorText.hasPrefix("checked: 2 steps replayed, every root matches; 5 items"))
    var copy = Snapshot.empty
    for line in replay.lines { copy = try DeltaDocument(Array(line.utf8)).applied(to: copy) }
    #expect(copy == (try snapshot("parks-after.json")))
  }
}

/// The history of the national parks, committed once for all tests of the suite.
@Suite(.nationalParks)
struct NationalParksTests {
  private var harness: CommandLineHarness { NationalParks.harness }

  @Test func logShowsTheWholeHistoryNewestFirst() async throws {
    let lines = try await harness.succeed("log", "parks").lines
    let entries = lines.filter { !$0.hasPrefix(" ") }
    let messages = lines.filter { $0.hasPrefix(" ") }
    #expect(entries.count == NationalParks.history.count)
    #expect(messages == NationalParks.history.reversed().map { "    \($0.what) (Congress)" })
    #expect(entries.first?.hasPrefix("\(NationalParks.history.count)-") == true)
    #expect(entries.last?.hasSuffix("1872-03-01  1 item: 1 inserted") == true)
  }

  @Test func limitedLogShowsTheNewestVersions() async throws {
    let all = try await harness.succeed("log", "parks").lines
    #expect(try await harness.succeed("log", "parks", "-n", "2").lines == Array(all.prefix(4)))
  }

  @Test func everyDateShowsTheListOfItsYear() async throws {
    for entry in stride(from: 0, to: 51, by: 10).map({ NationalParks.history[$0] }) {
      let shown = try await harness.succeed("show", "parks@\(entry.date)").output
      let file = try Example.bytes("national-parks/\(entry.year).json")
      let snapshot = try SnapshotReader(options: SnapshotOptions()).read(file).snapshot
      #expect(shown == SnapshotDocument.encode(snapshot), "\(entry.date)")
    }
  }

  @Test func dateBetweenTwoVersionsShowsTheOlderVersion() async throws {
    let shown = try await harness.succeed("show", "parks@1916-08-25").output
    #expect(shown == (try await harness.succeed("show", "parks@12").output))
    #expect(try await harness.succeed("show", "parks@1916-08-25T12:00:00Z").output == shown)
  }

  @Test func errorOfATooEarlyDateNamesTheFirstDate() async throws {
    let outcome = try await harness.run("show", "parks@1872-02-29")
    #expect(outcome.exitCode == 3)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errorText.contains("1872-02-29"))
    #expect(outcome.errorText.contains("its first is from 1872-03-01"))
  }

  @Test func historyOfAnItemShowsItsRenamingAndItsPositions() async throws {
    let lines = try await harness.succeed("log", "parks", "--item", "denali").lines
    let entries = lines.filter { !$0.hasPrefix(" ") }
    #expect(entries.count == 2)
    #expect(entries[0].contains("1980-12-02  moved and updated, 23 → 11"))
    #expect(entries[1].contains("1917-02-26  inserted at 7  denali"))
    #expect(
      lines[1].contains(
        #"/name  "Mount McKinley National Park" → "Denali National Park""#))
  }

  @Test func diffOfTheNewestVersionInsertsNewRiverGorge() async throws {
    let lines = try await harness.succeed("diff", "parks", "head~1", "head").lines
    #expect(lines.count == 2)
    #expect(lines[0].hasSuffix(": 1 inserted"))
    #expect(lines[1] == "+ 44  new-river-gorge  New River Gorge National Park")
  }

  @Test func diffOfTwoDatesEqualsTheDiffOfTheirVersions() async throws {
    let byDate = try await harness.succeed("diff", "parks", "1900-01-01", "1903-12-31")
    #expect(byDate.lines.count > 1)
    #expect(byDate.text == (try await harness.succeed("diff", "parks", "5", "7").text))
  }

  @Test func replayChecksEveryStepForwardsAndBackwards() async throws {
    let count = NationalParks.history.count
    let forwards = try await harness.succeed("replay", "parks", "--check")
    #expect(forwards.lines.count == count)
    #expect(forwards.errorText.contains("checked: \(count) steps replayed"))
    let back = try await harness.succeed(
      "replay", "parks", "--from", "head", "--to", "0", "--check")
    #expect(back.lines.count == count)
    #expect(back.errorText.contains("; 0 items at the end"))
  }

  @Test func verifyFindsNoDamage() async throws {
    let outcome = try await harness.succeed("verify")
    #expect(
      outcome.text.hasPrefix("parks: \(NationalParks.history.count) versions, every root"))
    #expect(outcome.errorText.isEmpty)
  }
}

/// A store with the whole history, shared by the tests of a suite.
struct NationalParks: SuiteTrait, TestScoping {
  @TaskLocal private static var shared: CommandLineHarness?

  struct Entry: Sendable {
    let year: String
    let date: String
    let what: String
  }

  static let history: [Entry] = {
    let lines = (try? Example.bytes("national-parks/history.tsv"))?.split(separator: 0x0A) ?? []
    return lines.map { line in
      let cells = String(decoding: line, as: UTF8.self).split(separator: "\t").map(String.init)
      return Entry(year: cells[0], date: cells[1], what: cells[2])
    }
  }()

  static var harness: CommandLineHarness {
    guard let shared else { preconditionFailure("the suite lacks the trait nationalParks") }
    return shared
  }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    let harness = try CommandLineHarness()
    try #require(Self.history.count == 51)
    for entry in Self.history {
      let path = Example.url("national-parks/\(entry.year).json").path
      try await harness.succeed(
        "commit", "parks", path, "--at", entry.date, "-m", entry.what, "--author", "Congress")
    }
    try await Self.$shared.withValue(harness) { try await body() }
  }
}

extension Trait where Self == NationalParks {
  static var nationalParks: NationalParks { NationalParks() }
}
