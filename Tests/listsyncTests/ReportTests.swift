import Foundation
import Hashing
import ListDocuments
import ListModel
import Publishing
import SyncService
import Testing

@testable import WebPage
@testable import listsync

/// The page in one file. `Tests/Interop/check_page.py` looks at it in a browser.
struct ReportTests {
  @Test func reportHoldsAVerifiedBundleOfTheWholeHistory() async throws {
    let harness = try await CommandLineHarness.withParks()
    let made = try await harness.succeed("report", "parks", "-o", "parks.html")
    #expect(made.text.hasSuffix(": 2 versions, 5 items\n"))
    try await harness.succeed("bundle", "create", "parks", "-o", "parks.bundle")
    try harness.write(Self.bundle(in: harness, "parks.html"), to: "inside.bundle.gz")
    let inside = try await harness.succeed("bundle", "verify", "inside.bundle.gz")
    #expect(try await harness.succeed("bundle", "verify", "parks.bundle").text == inside.text)
    let printed = try await harness.succeed("report", "parks", "-o", "-")
    #expect(try printed.output == Array(Data(contentsOf: harness.url("parks.html"))))
  }

  /// Version 1 has a step of its own, so a report from it on begins at the empty list.
  @Test(arguments: [
    ("0", "head", ": full; 4 steps"), ("1", "4", ": full; 4 steps"),
    ("2", "4", ": full, from 2-"), ("3", "3", ": full, from 3-"), ("4", "head", ": full, from 4-"),
    ("2", "3", ": full, from 2-"),
  ])
  func reportOfARangeNeedsNothingElse(since: String, to: String, text: String) async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("commit", "parks", "-", input: #"[{"id":"zion"},{"id":"arches"}]"#)
    try await harness.succeed("commit", "parks", "-", input: #"[{"id":"arches"}]"#)
    try await harness.succeed("report", "parks", "--since", since, "--to", to, "-o", "r.html")
    try harness.write(Self.bundle(in: harness, "r.html"), to: "inside.bundle.gz")
    let inside = try await harness.succeed("bundle", "verify", "inside.bundle.gz")
    #expect(inside.text.contains(text))
    try await harness.succeed("bundle", "apply", "inside.bundle.gz", "--store", "other.db")
  }

  @Test func reportOfAPrunedListBeginsAtItsOldestVersion() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("tag", "parks", "spring", "2")
    try await harness.succeed("prune", "parks", "--keep-last", "1", "--author", "Ann")
    let made = try await harness.succeed("report", "parks", "-o", "parks.html")
    #expect(made.text.hasSuffix(": 1 version, 5 items\n"))
    let page = try String(contentsOf: harness.url("parks.html"), encoding: .utf8)
    #expect(page.contains(#""tag":"spring""#) && page.contains(#""author":"Ann""#))
    for words in [["--since", "1"], ["--since", "0"], ["--to", "1"]] {
      let outcome = try await harness.run(["report", "parks", "-o", "old.html"] + words)
      expectRefusal(outcome, code: 5, says: ["was pruned; it has 2"])
    }
    #expect(try !harness.fileNames().contains("old.html"))
  }

  @Test func emptyBundleAndAbsentListAreRefused() async throws {
    let harness = try await CommandLineHarness.withParks()
    let backwards = try await harness.run(
      "report", "parks", "--since", "2", "--to", "1", "-o", "r.html")
    expectRefusal(backwards, code: 1, says: ["parks: no version lies between 2-"])
    let absent = try await harness.run("report", "films", "-o", "r.html")
    expectRefusal(absent, code: 3, says: ["films"])
    #expect(try harness.fileNames() == ["listsync.db"])
  }

  @Test func fileIsReplacedOnlyWithForce() async throws {
    let harness = try await CommandLineHarness.withParks()
    try harness.write("mine", to: "parks.html")
    let refused = try await harness.run("report", "parks", "-o", "parks.html")
    expectRefusal(refused, code: 1, says: ["parks.html", "--force"])
    #expect(try String(contentsOf: harness.url("parks.html"), encoding: .utf8) == "mine")
    try await harness.succeed("report", "parks", "-o", "parks.html", "--force")
    let usage = try await harness.run("report", "parks", "-o", "-", "--json")
    expectRefusal(usage, code: 2, says: ["--json"])
  }

  @Test func bundleAboveTheLimitIsRefusedAndNamesTheWaysOut() async throws {
    let harness = try await CommandLineHarness.withParks()
    let options = StoreArguments(harness.url("listsync.db").path, schema: nil)
    let export = try await options.service().export(
      ExportRequest(list: try #require(ListName("parks"))))
    func packed(_ byteLimit: Int) async throws -> PackedBundle? {
      try await PackedBundle(export, byteLimit: byteLimit, lineByteLimit: .max) { _ in }
    }
    let whole = try #require(try await packed(.max))
    #expect(whole.summary.header.target.version == Version(2))
    #expect(try await packed(500) == nil)
    for (isForced, advice) in [(false, "--force"), (true, "cannot hold")] {
      let failure = try #require(
        Failure(VerbError.longReport(export.header.list, byteLimit: 64_000_000, isForced: isForced))
      )
      #expect(failure.code == .failure)
      let text = "\(failure.message) \(failure.advice ?? "")"
      #expect(text.contains(advice) && text.contains("64.0 MB") && text.contains("--since"))
    }
  }

  @Test func policyAdmitsTheScriptAndTheStyleOfTheFileAndNothingElse() throws {
    let page = ReportPage(facts: Array(#"{"title":"</script><script>"}"#.utf8))
    let document = String(decoding: page.beginning + page.end, as: UTF8.self)
    for name in ["script type=\"module\"", "style"] {
      let start = try #require(document.range(of: "<\(name)>")).upperBound
      let end = try #require(
        document.range(of: "</\(name.prefix { $0 != " " })>", range: start..<document.endIndex))
      let text = document[start..<end.lowerBound]
      let digest = Data(SHA256.digest(of: Array(text.utf8)).bytes).base64EncodedString()
      #expect(document.contains("-src 'sha256-\(digest)'"), "\(name)")
    }
    #expect(document.contains("default-src 'none'") && !document.contains("unsafe-"))
    #expect(!document.contains("{{"))
    // The only elements are those of the template.
    #expect(document.lowercased().components(separatedBy: "<script").count == 4)
    #expect(document.lowercased().components(separatedBy: "</script").count == 4)
    #expect(!document.contains("<!--"))
  }

  /// A module is linked by removing lines, so these lines must have one form.
  @Test func scriptHasNoImportsAndNoExports() {
    for line in ReportPage.script.split(separator: "\n") {
      #expect(!line.hasPrefix("import ") && !line.hasPrefix("export "), "\(line)")
    }
    #expect(ReportPage.script.contains("\nclass BundleSource"))
  }

  /// The compressed bundle inside of a report.
  private static func bundle(in harness: CommandLineHarness, _ name: String) throws -> [UInt8] {
    let page = try String(contentsOf: harness.url(name), encoding: .utf8)
    let start = try #require(page.range(of: #"id="bundle">"#)).upperBound
    let text = String(page[start...].prefix { $0 != "<" })
    return Array(try #require(Data(base64Encoded: text)))
  }
}
