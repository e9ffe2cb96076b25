import Foundation
import GitHistory
import TestSupport
import Testing

@testable import listsync

/// `import-git`, from a repository to its answers.
struct ImportGitTests {
  private static func list(_ ids: String...) -> String {
    "[" + ids.map { #"{"id":"\#($0)"}"# }.joined(separator: ",") + "]"
  }

  private static func commit(_ index: Int, _ text: String) -> FixtureCommit {
    FixtureCommit("Change \(index)", .write("parks.json", text)).with {
      $0.seconds = 1_700_000_000 + Int64(index)
    }
  }

  /// Six commits: two versions, an unchanged one, one without JSON, one that removes the file, and
  /// another version.
  private static func parks() throws -> RepositoryFixture {
    let fixture = try RepositoryFixture()
    try fixture.load(
      commit(0, list("a")), commit(1, list("a", "b")), commit(2, "[ " + list("a", "b").dropFirst()),
      commit(3, "[{"), FixtureCommit("Gone", .remove("parks.json")), commit(5, list("b", "a")))
    return fixture
  }

  @Test func commitsBecomeVersionsWithTheirMetadataAndOthersAreReported() async throws {
    let (fixture, harness) = (try Self.parks(), try CommandLineHarness())
    let commits = try fixture.commits()
    let outcome = try await harness.succeed("import-git", fixture.path, "parks.json")
    let cursor = try await harness.succeed("lists", "--json").json()
    let head = try #require((cursor as? [[String: Any]])?.first?["head"] as? [String: Any])
    let text = try #require(head["cursor"] as? String)
    #expect(
      outcome.text
        == "parks \(text.prefix(14)): 3 versions from 6 commits, 1 unchanged, 2 skipped; 2 items\n")
    let notes = outcome.errorText.split(separator: "\n")
    try #require(notes.count == 2)
    #expect(
      notes[0].hasPrefix("skipped commit \(commits[3].prefix(12)): parks.json:1:3: not JSON: "))
    #expect(notes[1] == "skipped commit \(commits[4].prefix(12)): it removes the file")
    let log = try await harness.succeed("log", "parks", "--json").json()
    let versions = try #require(log as? [[String: Any]])
    #expect(versions.map { $0["message"] as? String } == ["Change 5", "Change 1", "Change 0"])
    #expect(versions.allSatisfy { $0["author"] as? String == "Ranger <ranger@example.org>" })
    #expect(
      versions.map { $0["committed_at"] as? String }
        == ["2023-11-14T22:13:25Z", "2023-11-14T22:13:21Z", "2023-11-14T22:13:20Z"])
    try await harness.succeed("verify")
  }

  @Test func nextRunImportsOnlyNewCommitsAndCountsSkippedOnesAsSeen() async throws {
    let (fixture, harness) = (try Self.parks(), try CommandLineHarness())
    try await harness.succeed("import-git", fixture.path, "parks.json")
    let again = try await harness.succeed("import-git", fixture.path, "parks.json")
    #expect(again.text.contains(": no new commit; 2 items"))
    try fixture.load(Self.commit(6, "{"))
    let skipped = try await harness.run("import-git", fixture.path, "./parks.json")
    #expect(skipped.text.contains("0 versions from 1 commit, 1 skipped"))
    #expect(skipped.exitCode == 1 && skipped.errorText.contains("parks stays at version 3"))
    try fixture.load(Self.commit(7, Self.list("c")))
    let next = try await harness.succeed("import-git", fixture.path, "parks.json", "--json")
    let document = try #require(try next.json() as? [String: Any])
    #expect(document["commits"] as? Int == 1)
    #expect(document["versions"] as? Int == 1)
    #expect((document["skipped"] as? [Any])?.isEmpty == true)
    #expect(next.errorText.isEmpty)
  }

  /// Former fault: git's answer was called unexpected, and nothing was imported.
  @Test func commitWithABrokenDateIsSkippedByNameAndItsContentIsNotLost() async throws {
    let (fixture, harness) = (try RepositoryFixture(), try CommandLineHarness())
    try fixture.load(Self.commit(0, Self.list("a")))
    try fixture.load(Self.commit(1, Self.list("a", "b")), committer: "Ranger <ranger@example.org>")
    // The same content, in a commit with a date.
    try fixture.load(
      FixtureCommit("Mode", .write("parks.json", Self.list("a", "b"), mode: "100755")))
    try fixture.load(Self.commit(3, Self.list("c")))
    let broken = try fixture.commits()[1]
    let outcome = try await harness.succeed("import-git", fixture.path, "parks.json")
    #expect(outcome.text.contains("3 versions from 4 commits, 1 skipped; 1 item"))
    #expect(
      outcome.errorText.hasPrefix(
        "skipped commit \(broken.prefix(12)): its committer's date is unreadable"))
    let log = try await harness.succeed("log", "parks", "--json").json() as? [[String: Any]]
    #expect(log?.map { $0["message"] as? String } == ["Change 3", "Mode", "Change 0"])
    let strict = try await harness.run(
      "import-git", fixture.path, "parks.json", "--list", "strict", "--strict")
    expectRefusal(strict, code: 1, says: [broken, "date is unreadable"])
  }

  @Test func importThatReadsNoCommitIsAFailure() async throws {
    let (fixture, harness) = (try Self.parks(), try CommandLineHarness())
    let arguments = ["import-git", fixture.path, "parks.json", "--id", "code"]
    let text = try await harness.run(arguments)
    #expect(text.exitCode == 1)
    #expect(text.errorText.contains("no version for parks: all of 6 commits were skipped"))
    #expect(text.errorText.contains("Nothing was imported. Name what the reasons above tell"))
    let json = try await harness.run(arguments + ["--json"])
    let answer = try #require(try json.json() as? [String: Any])
    #expect(json.exitCode == 1 && (answer["skipped"] as? [Any])?.count == 6)
    // What was skipped without a list is read again.
    try await harness.succeed("import-git", fixture.path, "parks.json")
  }

  /// Former fault: the line ends and the tab of git's text were escaped.
  @Test func commandInGitsAnswerCanBeCopied() {
    let command = "git config --global --add safe.directory '/srv/a b'"
    let reason = "fatal: detected dubious ownership\n\n\t\(command)"
    let failure = Failure(GitError.notARepository(path: "a\nb", reason: reason))
    #expect(failure.message.contains("a\\nb is not"))
    #expect(failure.message.contains("\n  \(command)"))
    #expect(!failure.message.contains("\t"))
  }

  @Test func strictImportStopsAtTheFirstInvalidCommitAndKeepsEarlierOnes() async throws {
    let (fixture, harness) = (try Self.parks(), try CommandLineHarness())
    let commits = try fixture.commits()
    for _ in 1...2 {
      let outcome = try await harness.run("import-git", fixture.path, "parks.json", "--strict")
      expectRefusal(outcome, code: 1, says: [commits[3], "parks.json:1:3", "--strict"])
      #expect(try await harness.succeed("log", "parks").text.contains("Change 1"))
    }
    let rest = try await harness.succeed("import-git", fixture.path, "parks.json")
    #expect(rest.text.contains("1 version from 3 commits, 2 skipped"))
  }

  @Test func importTakesTheReadingOptionsOfCommitAndRemembersThem() async throws {
    let (fixture, harness) = (try RepositoryFixture(), try CommandLineHarness())
    let path = "data/the list.csv"
    try fixture.load(FixtureCommit("", .write(path, "code,x\na,1\na,2\nb,3\n")))
    let name = try await harness.run("import-git", fixture.path, path)
    expectRefusal(name, code: 2, says: ["--list"])
    let outcome = try await harness.succeed(
      "import-git", fixture.path, path, "--list", "l", "--id", "code", "--duplicates", "keep-first")
    #expect(outcome.errorText.contains("left out 1 item"))
    #expect(outcome.text.contains("1 version from 1 commit; 2 items"))
    try fixture.load(FixtureCommit("", .write(path, "code,x\na,1\nb,4\n")))
    let next = try await harness.succeed("import-git", fixture.path, path, "--list", "l")
    #expect(next.text.contains("1 version from 1 commit; 2 items"))
  }

  @Test func listContinuesUnderTheNewNameOfItsFile() async throws {
    let (fixture, harness) = (try Self.parks(), try CommandLineHarness())
    try fixture.load(
      FixtureCommit("Rename", .rename("parks.json", "new.json")),
      FixtureCommit("New", .write("new.json", Self.list("c"))))
    try await harness.succeed("import-git", fixture.path, "parks.json")
    let outcome = try await harness.succeed(
      "import-git", fixture.path, "new.json", "--list", "parks")
    #expect(outcome.text.contains("1 version from 2 commits, 1 unchanged"))
    #expect(try await harness.succeed("log", "parks", "--json").text.contains("\"version\":4"))
  }

  @Test func refusedImportSaysWhatToDoAndCreatesNoStore() async throws {
    let (fixture, harness) = (try Self.parks(), try CommandLineHarness())
    for (arguments, code, words) in [
      ([fixture.path, "none.json"], 3, ["none.json", "ls-tree"]),
      ([fixture.path, "../parks.json"], 2, ["root"]),
      ([fixture.path, "parks.json", "--ref", "nope"], 3, ["nope", "--ref"]),
      ([fixture.path + "/none", "parks.json"], 1, ["no such folder"]),
    ] as [([String], Int32, [String])] {
      let outcome = try await harness.run(["import-git"] + arguments)
      expectRefusal(outcome, code: code, says: words)
    }
    let noGit = try await harness.run(
      ["import-git", fixture.path, "parks.json"], environment: ["PATH": "/nonexistent"])
    expectRefusal(noGit, code: 1, says: ["git is not installed", "PATH"])
    #expect(try harness.fileNames().isEmpty)
  }

  @Test func rewrittenHistoryIsRefusedAndChangesNothing() async throws {
    let (fixture, harness) = (try Self.parks(), try CommandLineHarness())
    try await harness.succeed("import-git", fixture.path, "parks.json")
    let log = try await harness.succeed("log", "parks").text
    let first = try fixture.commits()[0]
    try fixture.load(Self.commit(9, Self.list("z")).with { $0.from = first })
    let outcome = try await harness.run("import-git", fixture.path, "parks.json")
    expectRefusal(outcome, code: 5, says: ["HEAD", "--ref", "--list"])
    #expect(try await harness.succeed("log", "parks").text == log)
    try await harness.succeed("import-git", fixture.path, "parks.json", "--list", "anew")
  }

  @Test func killedAndRepeatedImportEndsWithTheCursorOfOneRun() async throws {
    var random = SeededRandom.forThisRun()
    let fixture = try RepositoryFixture()
    let padding = String(repeating: "x", count: 300)
    try fixture.load(
      (0..<200).map { index in
        let ids = (0..<20).map { "\($0 == index % 20 ? index : $0)" }
        let items = Set(ids).sorted().map { #"{"id":"\#($0)","text":"\#(index % 7)\#(padding)"}"# }
        return Self.commit(index, index % 9 == 5 ? "[" : "[\(items.joined(separator: ","))]")
      })
    let arguments = ["import-git", fixture.path, "parks.json"]
    let whole = try CommandLineHarness()
    let start = Date()
    #expect(try await whole.run(arguments).exitCode == 0)
    // The window adapts, so that some runs are killed early and some late.
    var windowSeconds = Date().timeIntervalSince(start) / 4
    let expected = try await whole.succeed("log", "parks", "--json").output
    var killCount = 0
    for _ in 1...3 {
      let harness = try CommandLineHarness()
      for _ in 1...3 {
        let seconds = Double.random(in: 0...windowSeconds, using: &random)
        let outcome = try await harness.run(arguments, killSeconds: seconds)
        let isKilled = outcome.exitCode == 128 + SIGKILL
        #expect(isKilled || outcome.exitCode == 0, "seed \(random.seed): \(outcome)")
        windowSeconds *= isKilled ? 1.25 : 0.5
        killCount += isKilled ? 1 : 0
      }
      #expect(try await harness.run(arguments).exitCode == 0)
      let log = try await harness.succeed("log", "parks", "--json").output
      #expect(log == expected, "seed \(random.seed)")
      try await harness.succeed("verify")
    }
    print("\(killCount) of 9 imports were killed")
    #expect(killCount > 0)
  }

  @Test func listFromABundleIsNotImportedAgain() async throws {
    let (fixture, harness, copy) = (
      try Self.parks(), try CommandLineHarness(), try CommandLineHarness()
    )
    let arguments = ["import-git", fixture.path, "parks.json"]
    try await harness.succeed("import-git", fixture.path, "parks.json")
    let bundle = copy.url("parks.bundle").path
    try await harness.succeed("bundle", "create", "parks", "-o", bundle)
    try await copy.succeed("bundle", "apply", bundle)
    let before = try await copy.succeed("log", "parks", "--json").text
    expectRefusal(
      try await copy.run(arguments), code: 4,
      says: [
        "parks has versions up to 3 that were not imported from this repository", "--from COMMIT",
      ])
    #expect(try await copy.succeed("log", "parks", "--json").text == before)

    let tip = try fixture.commits()[5]
    let here = try await copy.run(arguments + ["--from", String(tip.prefix(10))])
    #expect(here.exitCode == 0 && here.text.contains(": no new commit; 2 items"), "\(here)")
    expectRefusal(
      try await copy.run(arguments + ["--from", tip]), code: 2,
      says: ["was imported up to commit \(tip)"])
    try fixture.load(Self.commit(6, Self.list("c")))
    for folder in [harness, copy] {
      let next = try await folder.succeed("import-git", fixture.path, "parks.json")
      #expect(next.text.contains("1 version from 1 commit"), "\(next)")
    }
    #expect(
      try await copy.succeed("log", "parks", "--json").text
        == harness.succeed("log", "parks", "--json").text)
    expectRefusal(
      try await copy.run(arguments + ["--list", "other", "--from", tip]), code: 2,
      says: ["other has no versions"])
  }

  @Test func missingContentIsSkippedAndReportedOnRequest() async throws {
    let (fixture, harness) = (try Self.parks(), try CommandLineHarness())
    try fixture.git("config", "uploadpack.allowFilter", "true")
    let clone = harness.url("partial").path
    try fixture.git(
      "clone", "--quiet", "--bare", "--filter=blob:none", "file://\(fixture.path)", clone)
    // Git fetches the newest content for itself.
    try fixture.git("-C", clone, "cat-file", "-p", "main:parks.json")
    let arguments = ["import-git", clone, "parks.json"]
    expectRefusal(
      try await harness.run(arguments), code: 1,
      says: ["the repository does not hold object", "--skip-missing"])
    let trees = harness.url("trees").path
    try fixture.git(
      "clone", "--quiet", "--bare", "--filter=tree:0", "file://\(fixture.path)", trees)
    expectRefusal(
      try await harness.run("import-git", trees, "parks.json"), code: 1,
      says: ["the repository does not hold object", "--refetch --no-filter --no-tags"])
    let outcome = try await harness.run(arguments + ["--skip-missing", "--strict", "--json"])
    let answer = try #require(try outcome.json() as? [String: Any])
    #expect(answer["versions"] as? Int == 1 && answer["left_out"] as? Int == 0)
    let skipped = try #require(answer["skipped"] as? [[String: String]])
    let missing = "the repository does not hold parks.json of it"
    #expect(skipped.map { $0["commit"] } == (try fixture.commits()).dropLast())
    #expect(
      skipped.map { $0["reason"] } == [missing, missing, missing, missing, "it removes the file"])
    #expect(outcome.errorText.contains(": \(missing)\n"))
  }
}
