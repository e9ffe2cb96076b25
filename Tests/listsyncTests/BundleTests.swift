import Foundation
import Gzip
import ListDocuments
import Testing

@testable import listsync

/// Bundles on the command line.
@Suite(.serialized) struct BundleTests {
  @Test(arguments: ["", ".gz"])
  func fullBundleCreatesTheSameListInANewStore(_ ending: String) async throws {
    let harness = try await CommandLineHarness.withParks()
    let (file, log) = ("parks.bundle\(ending)", try await Self.log(harness, "listsync.db"))
    let created = try await harness.succeed("bundle", "create", "parks", "-o", file)
    #expect(created.text.contains(": full; 2 steps; 5 items\n"))
    #expect(created.errorText.isEmpty)
    let bytes = Array(try Data(contentsOf: harness.url(file)))
    #expect(bytes.starts(with: ending.isEmpty ? Array("{\"format\"".utf8) : [0x1F, 0x8B]))

    let verified = try await harness.succeed("bundle", "verify", file)
    #expect(verified.text == created.text + "complete: the chain and every root match\n")
    let applied = try await harness.succeed("bundle", "apply", file, "--store", "other.db")
    #expect(applied.text.hasSuffix(": 2 versions added; 5 items\n"))
    #expect(try await Self.log(harness, "other.db") == log)
    try await harness.succeed("verify", "--store", "other.db")

    let again = try await harness.succeed("bundle", "apply", file, "--store", "other.db")
    #expect(again.text.hasSuffix(": already up to date; 5 items\n"))
    #expect(try await Self.log(harness, "other.db") == log)
    #expect(try harness.fileNames().filter { $0.contains(".partial") } == [])
  }

  @Test func equalListsGiveEqualBundlesInEveryStore() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("bundle", "create", "parks", "-o", "1.gz")
    try await harness.succeed("bundle", "apply", "1.gz", "--store", "other.db")
    try await harness.succeed("bundle", "create", "parks", "-o", "2.gz", "--store", "other.db")
    #expect(try Data(contentsOf: harness.url("1.gz")) == Data(contentsOf: harness.url("2.gz")))
  }

  @Test func incrementalBundleNamesItsStartAndIsRefusedWithoutIt() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("bundle", "create", "parks", "--to", "1", "-o", "first")
    try await harness.succeed("bundle", "create", "parks", "--since", "1", "-o", "second")
    let verified = try await harness.succeed("bundle", "verify", "second")
    #expect(verified.text.contains(": incremental, from 1-"))
    #expect(
      verified.lines.last?.contains("roots are verified when the bundle is applied") == true)

    let early = try await harness.run("bundle", "apply", "second", "--store", "other.db")
    expectRefusal(
      early, code: 5, says: ["there is no list 'parks'", "continues from 1-", "without --since"])
    #expect(try harness.fileNames() == ["first", "listsync.db", "second"])
    try await harness.succeed("bundle", "apply", "first", "--store", "other.db")
    let late = try await harness.succeed("bundle", "apply", "second", "--store", "other.db")
    #expect(late.text.hasSuffix(": 1 version added; 5 items\n"))
    #expect(
      try await Self.log(harness, "other.db") == Self.log(harness, "listsync.db"))
  }

  @Test func bundlePassesThroughPipesAndIsAppliedUnderAnotherName() async throws {
    let harness = try await CommandLineHarness.withParks()
    let created = try await harness.run("bundle", "create", "parks", "-o", "-")
    #expect(created.exitCode == 0 && created.errorText.contains(": full; 2 steps; 5 items"))
    let packed = GzipCompressor()
    let gz = packed.compress(created.output) + packed.finish()
    for (name, input) in [("plain", created.output), ("packed", gz)] {
      #expect(try await harness.run(["bundle", "verify", "-"], input: input).exitCode == 0)
      let applied = try await harness.run(["bundle", "apply", "-", "--as", name], input: input)
      #expect(applied.text.hasPrefix("\(name) 2-"), "\(applied)")
    }
    let lists = try await harness.succeed("lists").lines
    let withoutNames = lists.map { (line: String) -> String in
      line.split(separator: " ").dropFirst().joined()
    }
    #expect(Set(withoutNames).count == 1)
    #expect(lists.count == 3)
  }

  /// A former fault: a file with this name made standard input a file that can be read twice.
  @Test func dashIsStandardInputAlsoBesideAFileWithThisName() async throws {
    let harness = try await CommandLineHarness.withParks()
    let created = try await harness.run("bundle", "create", "parks", "-o", "-")
    try harness.write("not a bundle", to: "-")
    let applied = try await harness.run(
      ["bundle", "apply", "-", "--store", "other.db"], input: created.output)
    #expect(applied.exitCode == 0 && applied.text.hasPrefix("parks 2-"), "\(applied)")
  }

  @Test func bundleVerbsReportTheirResultInJSON() async throws {
    let harness = try await CommandLineHarness.withParks()
    let create = ["bundle", "create", "parks", "--since", "1", "-o", "b", "--json"]
    let created = try await harness.run(create)
    let fields = try #require(try created.json() as? [String: Any])
    #expect(fields["kind"] as? String == "incremental")
    #expect(fields["steps"] as? Int == 1)
    #expect((fields["from"] as? [String: Any])?["version"] as? Int == 1)
    #expect(try await harness.succeed("bundle", "verify", "b", "--json").text == created.text)
    let applied = try await harness.succeed("bundle", "apply", "b", "--json").json()
    let outcome = try #require(applied as? [String: Any])
    #expect(outcome["outcome"] as? String == "unchanged")
    #expect(outcome["added"] as? Int == 0)
    expectRefusal(
      try await harness.run("bundle", "create", "parks", "-o", "-", "--json"), code: 2,
      says: ["standard output gets the bundle"])
  }

  @Test func existingFileStaysUnlessItsReplacementIsForced() async throws {
    let harness = try await CommandLineHarness.withParks()
    try harness.write("mine", to: "b")
    expectRefusal(
      try await harness.run("bundle", "create", "parks", "-o", "b"), code: 1,
      says: ["b is there already", "--force"])
    #expect(try String(contentsOf: harness.url("b"), encoding: .utf8) == "mine")
    // A failure replaces no file, and leaves none.
    try harness.change("UPDATE versions SET message = 'Eve' WHERE version = 2")
    expectRefusal(
      try await harness.run("bundle", "create", "parks", "-o", "b", "--force"), code: 6,
      says: ["the store is damaged", "version 2 of parks", "listsync verify"])
    #expect(try String(contentsOf: harness.url("b"), encoding: .utf8) == "mine")
    #expect(try harness.fileNames() == ["b", "listsync.db"])
    try await harness.succeed("bundle", "create", "parks", "--to", "1", "-o", "b", "--force")
    try await harness.succeed("bundle", "verify", "b")
  }

  @Test(arguments: ["no/such/b", "folder"])
  func unwritablePathIsReported(_ path: String) async throws {
    let harness = try await CommandLineHarness.withParks()
    let folder = harness.url("folder")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    expectRefusal(
      try await harness.run("bundle", "create", "parks", "-o", path, "--force"), code: 8,
      says: ["cannot ", path])
  }

  @Test func emptyOrMissingRangeIsRefused() async throws {
    let harness = try await CommandLineHarness.withParks()
    func create(_ options: String...) async throws -> CommandLineHarness.Outcome {
      try await harness.run(["bundle", "create", "parks", "-o", "b"] + options)
    }
    expectRefusal(
      try await create("--since", "2"), code: 1, says: ["no version lies between 2-", "--since"])
    expectRefusal(try await create("--since", "2", "--to", "1"), code: 1, says: ["between 2-"])
    expectRefusal(try await create("--to", "3"), code: 3, says: ["parks has no version 3"])
    expectRefusal(
      try await create("--since", "1-00000000000000000000000000000000"), code: 5,
      says: ["parks diverged"])
    expectRefusal(
      try await harness.run("bundle", "create", "parcs", "-o", "b"), code: 3,
      says: ["there is no list 'parcs'"])
    #expect(try harness.fileNames() == ["listsync.db"])
  }

  @Test func listWithVersionsOfItsOwnIsNotChanged() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("bundle", "create", "parks", "-o", "b")
    try await harness.succeed(
      "commit", "parks", Example.url("parks-after.json").path, "--store", "other.db")
    let before = try await Self.log(harness, "other.db")
    let outcome = try await harness.run("bundle", "apply", "b", "--store", "other.db")
    expectRefusal(
      outcome, code: 5,
      says: ["parks diverged: its history, now at 1-", "not contain 1-", " of b", "--as"])
    #expect(try await Self.log(harness, "other.db") == before)
  }

  @Test(arguments: ["verify", "apply"])
  func fileThatIsNoBundleIsRefusedAsSuchRatherThanAsDamaged(_ verb: String) async throws {
    let harness = try await CommandLineHarness.withParks()
    let before = harness.storeBytes()
    try harness.write("", to: "empty")
    try harness.write("[\n1]\n", to: "array")
    try harness.write([0xFF, 0xD8, 0x00], to: "picture")
    try harness.write("{\"format\":\"list-bundle/2\"}\n", to: "newer")
    try harness.write("{\"format\":\"list-delta/1\",\"kind\":\"changes\"}\n", to: "delta")
    for name in ["empty", "array", "picture", "newer", "delta"] {
      expectRefusal(
        try await harness.run("bundle", verb, name), code: 1,
        says: ["\(name) is not a bundle: ", "line 1", "list-bundle/1"])
    }
    expectRefusal(
      try await harness.run("bundle", verb, "none"), code: 1, says: ["cannot read none"])
    #expect(harness.storeBytes() == before)
  }

  @Test func damagedBundleExitsWith6NamesItsLineAndCreatesNoStore() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("bundle", "create", "parks", "-o", "b")
    let text = try String(contentsOf: harness.url("b"), encoding: .utf8)
    let lines = text.split(separator: "\n").map(String.init)
    let damages: [(String, String)] = [
      (text.replacingOccurrences(of: "grand-canyon", with: "grand-canyen"), "line 4"),
      (lines[...1].joined(separator: "\n") + "\n", "line 3"),
      ([lines[0], lines[2], lines[1], lines[3]].joined(separator: "\n") + "\n", "line 2"),
      (text.replacingOccurrences(of: "\"lines\":3", with: "\"lines\":4"), "line 4"),
      (text + "\n", "line 5"), (String(text.dropLast()), "line 4"),
    ]
    for (number, damage) in damages.enumerated() {
      try harness.write(damage.0, to: "bad")
      for arguments in [["verify", "bad"], ["apply", "bad", "--store", "other.db"]] {
        expectRefusal(
          try await harness.run(["bundle"] + arguments), code: 6,
          says: ["bad is damaged: ", damage.1, "Nothing was changed"])
      }
      #expect(try harness.fileNames() == ["b", "bad", "listsync.db"], "damage \(number)")
    }
    let packed = GzipCompressor()
    let gz = packed.compress(Array(text.utf8)) + packed.finish()
    try harness.write(Array(gz.dropLast(9)), to: "bad")
    expectRefusal(
      try await harness.run("bundle", "verify", "bad"), code: 6, says: ["bad: ", "gzip"])
  }

  /// A transaction that another writer was in the way of runs again.
  @Test(arguments: [1, 600_000])
  func applyingAgainReadsAFileOrPipeAgain(_ byteCount: Int) async throws {
    let harness = try await CommandLineHarness.withParks()
    let items = (1...3).map {
      #"{"id":"\#($0)","text":"\#(String(repeating: "x", count: byteCount))"}"#
    }
    let list = "[\(items.joined(separator: ","))]"
    try await harness.succeed("commit", "parks", "-", input: list)
    for name in ["bundle", "bundle.gz"] {
      try await harness.succeed("bundle", "create", "parks", "-o", name)
      let pipe = harness.url("\(name).pipe").path
      try #require(mkfifo(pipe, 0o600) == 0)
      let bytes = try Data(contentsOf: harness.url(name))
      Thread.detachNewThread {
        try? FileHandle(forWritingTo: URL(fileURLWithPath: pipe)).write(contentsOf: bytes)
      }
      for input in [BundleInput(harness.url(name).path), BundleInput(pipe)] {
        var digests: [String?] = []
        for _ in 0..<3 {
          var bundle = try input.open()
          while try bundle.next() != nil {}
          digests.append(bundle.summary?.digest)
        }
        #expect(Set(digests).count == 1 && digests[0] != nil)
      }
    }
  }

  private static func log(_ harness: CommandLineHarness, _ store: String) async throws -> String {
    try await harness.succeed("log", "parks", "--json", "--store", store).text
  }
}
