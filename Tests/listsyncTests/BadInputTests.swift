import Foundation
import GRDB
import ListStore
import SQLiteStore
import StoreTestSupport
import Testing

/// Refused input: exit code, place, advice, and an unchanged store.
struct BadInputTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let fileName: String
    let bytes: [UInt8]
    let options: [String]
    /// The words that standard error must contain: place, error and advice.
    let words: [String]

    init(
      _ description: String, _ text: String, in fileName: String = "input.json",
      _ options: String..., says words: [String]
    ) {
      self.init(description, Array(text.utf8), in: fileName, options, says: words)
    }

    init(
      _ description: String, _ bytes: [UInt8], in fileName: String = "input.json",
      _ options: [String] = [], says words: [String]
    ) {
      testDescription = description
      self.fileName = fileName
      self.bytes = bytes
      self.options = options
      self.words = words
    }
  }

  private static let repair = "Correct the input there"
  /// An item of nested arrays. The item itself is the first level.
  private static func item(depth: Int) -> String {
    let (opening, closing) = (
      String(repeating: "[", count: depth - 1), String(repeating: "]", count: depth - 1)
    )
    return #"{"id":"deep","x":\#(opening)\#(closing)}"#
  }

  static let cases = [
    Case(
      "not JSON", "[{\"id\":\"a\"},\n  nonsense]",
      says: ["input.json:2:4: not JSON: expected null, found \"o\"", repair]),
    Case(
      "a gzip file", [0x1F, 0x8B, 0x08, 0x00], in: "input.json.gz",
      says: ["input.json.gz is compressed with gzip", "gzip -dc FILE"]),
    Case(
      "null without the ending of JSON", "null\n", in: "input",
      says: ["input: the document is of kind null, not an array"]),
    Case(
      "JSON of another language", "[{'id':'a'}]",
      says: ["input.json:1:3:", "expected a member name in quotes, found \"'\"", repair]),
    Case(
      "a control character in JSON", "[{\"id\":\"a\tb\"}]",
      says: ["input.json:1:10:", "control character U+0009", repair]),
    Case(
      "something behind the array", #"[{"id":"a"}] [1]"#,
      says: ["input.json:1:14:", "expected the end of the input", repair]),
    Case(
      "JSON cut off between items", #"[{"id":"a"},"#,
      says: ["input.json:1:13:", "a JSON value is expected: it was cut off", repair]),
    Case(
      "JSON cut off inside a string", "[{\"id\":\"a\"},\n{\"id\":\"b",
      says: ["input.json:2:9:", "closing quote of a string is expected: it was cut off", repair]),
    Case(
      "NDJSON cut off", "{\"id\":\"a\"}\n{\"id\":", in: "input.ndjson",
      says: ["input.ndjson:2:7:", "it was cut off", repair]),
    Case(
      "two NDJSON items on one line", "{\"id\":\"a\"} {\"id\":\"b\"}\n", in: "input.ndjson",
      says: ["input.ndjson:1:12:", "expected a line end between two items", repair]),
    Case(
      "JSON that is not UTF-8", Array("[{\"id\":\"\u{e9}".utf8) + [0xFF] + Array("\"}]".utf8),
      says: ["input.json:1:10:", "not UTF-8 at byte 10", repair]),
    Case(
      "CSV that is not UTF-8", Array("id,name\n1,a\n2,".utf8) + [0xE9, 0x0A], in: "input.csv",
      says: ["input.csv:3:3:", "not UTF-8 at byte 14", repair]),
    Case(
      "an object where the array should be", #"{"meta":{"n":1},"data":{"rows":[]}}"#,
      says: ["input.json: the document is of kind object", "Arrays are at: /data/rows", "--items"]),
    Case(
      "no such place", #"{"data":[{"id":"a"}]}"#, "--items", "/rows",
      says: ["input.json: there is no /rows", "Arrays are at: /data", "--items"]),
    Case(
      "a place that is no array", #"{"data":{"rows":[]}}"#, "--items", "/data",
      says: ["input.json: /data is of kind object", "Arrays are at: /data/rows", "--items"]),
    Case(
      "no array at all", #"{"error":"not found"}"#,
      says: ["input.json: the document is of kind object", "It contains no array of items."]),
    Case(
      "an item without the id", "[{\"id\":\"a\"},\n{\"code\":\"b\",\"name\":\"B\"}]",
      says: [
        "1 item has no id", "item 2 (line 2, column 1): no 'id'",
        "The members of the first are: code, name",
        "--id", "--duplicates keep-first",
      ]),
    Case(
      "an empty id", #"[{"id":""}]"#,
      says: ["item 1 (line 1, column 2): 'id' is empty", "--duplicates keep-first"]),
    Case(
      "an id that is null, or no text", #"[{"id":null},{"id":["a"]},{"id":true}]"#,
      says: [
        "3 items have no id", "item 1 (line 1, column 2): no 'id'",
        "item 2 (line 1, column 14): 'id' is of kind array",
        "item 3 (line 1, column 27): 'id' is of kind boolean",
      ]),
    Case(
      "bare strings without --id .", #"["a","b"]"#,
      says: ["2 items have no id", "For a list of bare strings, use '--id .'"]),
    Case(
      "a duplicate id", "[{\"id\":\"a\"},\n {\"id\":\"b\"},\n {\"id\":\"a\"}]",
      says: [
        "1 item repeats an id", "'a': item 1 (line 1, column 2) and item 3 (line 3, column 2)",
        "--duplicates keep-first or keep-last", "--id",
      ]),
    Case(
      "more duplicate ids than are told one by one",
      "[" + (0..<9).map { _ in #"{"id":7}"# }.joined(separator: ",") + "]",
      says: ["8 items repeat an id", "'7': item 1", "and 3 more"]),
    Case(
      "a duplicate id in CSV", "id,name\na,1\nb,2\na,3\n", in: "input.csv",
      says: ["'a': item 1 (line 2, column 1) and item 3 (line 4, column 1)", "keep-last"]),
    Case(
      "a member twice", "[{\"id\":\"a\",\n\"name\":1,\"name\":1}]",
      says: ["input.json:2:10:", #"member "name" stands twice in one object"#, repair]),
    Case(
      "a member twice, once escaped", #"[{"id":"a","n":1,"\u006e":1}]"#,
      says: ["input.json:1:18:", #"member "n" stands twice in one object"#, repair]),
    Case(
      "nesting 513", "[\(item(depth: 513))]",
      says: ["input.json:1:", "nested deeper than 512", "This limit cannot be raised"]),
    Case(
      "nesting 100,000", String(repeating: "[", count: 100_000),
      says: ["input.json:1:514:", "nested deeper than 512", "This limit cannot be raised"]),
    Case(
      "an unclosed CSV quote", "id,name\na,\"Arches\nb,Bryce\n", in: "input.csv",
      says: ["input.csv:2:3: the quote that opens here is never closed", repair]),
    Case(
      "text behind a CSV quote", "id,name\na,\"Arches\" NP\n", in: "input.csv",
      says: ["input.csv:2:11: text after a closing quote", repair]),
    Case(
      "a CSV header with a column twice", "id,name,state,name\n", in: "input.csv",
      says: ["input.csv:1:1: columns 2 and 4 have the same name, 'name'", repair]
    ),
    Case(
      "an absent id column", "code,name\na,Arches\n", in: "input.csv",
      says: ["input.csv: there is no column 'id'; there are: 'code', 'name'", "--id"]),
    Case(
      "an absent id column of two", "code,name\na,Arches\n", in: "input.csv", "--id", "code",
      "--id", "year", says: ["there is no column 'year'; there are: 'code', 'name'", "--id"]),
    Case("an empty file", "", says: ["input.json is empty", "Write an empty list as []"]),
    Case(
      "white space alone", " \r\n\t\n", says: ["input.json is empty", "Write an empty list as []"]),
    Case(
      "an id missing and another twice", #"[{"id":"a"},{},{"id":"a"}]"#,
      says: ["1 item has no id\n  item 2", "1 item repeats an id\n  'a': item 1"]),
    Case(
      "a CSV header with another separator", "id^v\na^1\n", in: "input.csv",
      says: ["there is no column 'id'", "If '^' separates the cells, add --separator '^'"]),
    Case(
      "a CSV header with tabs and no id", "code\tname\na\tb\n", in: "input.csv",
      says: ["there is no column 'id'", "add --separator tab"]),
    Case(
      "a CSV header with blanks around the id", "name, code \nA,a\n", in: "input.csv", "--id",
      "code", says: ["there is no column 'code'", "write --id ' code '"]),
    Case(
      "a table that ends inside a row", "id,name,state\na,Arches,UT\nb,Bry", in: "input.csv",
      says: ["input.csv:3:1: the file seems cut: its last row has 2 of 3 cells", "--force-cut"]),
    Case(
      "a row that is too long", "id,name\na,Arches,UT\n", in: "input.csv", "--strict-rows",
      says: ["input.csv:2:1: the row has 3 cells, and the header 2", "leave out --strict-rows"]),
    Case(
      "a table with three faults", "name;code\nZion;z\nZion;y\nArch", in: "input.csv",
      says: ["there is no column 'id'", "If ';' separates the cells, add --separator ';'"]),
    Case(
      "a page of HTML on one line",
      "<!DOCTYPE html>" + String(repeating: "<p a-b='1'>", count: 9_000),
      in: "input.csv", says: ["there is no column 'id'", "Name one with --id."]),
  ]

  @Test(arguments: cases)
  func badFileIsRefusedAndTheStoreIsUnchanged(_ bad: Case) async throws {
    let harness = try await CommandLineHarness.withParks()
    try harness.write(bad.bytes, to: bad.fileName)
    let before = harness.storeBytes()
    let outcome = try await harness.run(["commit", "parks", bad.fileName] + bad.options)
    expectRefusal(outcome, code: 1, says: bad.words)
    #expect(harness.storeBytes() == before)
  }

  @Test(arguments: cases.prefix(3))
  func refusedFileCreatesNoStore(_ bad: Case) async throws {
    let harness = try CommandLineHarness()
    try harness.write(bad.bytes, to: bad.fileName)
    let outcome = try await harness.run(["commit", "parks", bad.fileName] + bad.options)
    expectRefusal(outcome, code: 1, says: bad.words)
    #expect(try harness.fileNames() == [bad.fileName])
  }

  @Test(arguments: cases.prefix(20).filter { $0.fileName == "input.json" })
  func badStandardInputIsRefusedAndNamedInTheError(_ bad: Case) async throws {
    let harness = try await CommandLineHarness.withParks()
    let before = harness.storeBytes()
    let outcome = try await harness.run(
      ["commit", "parks", "-", "--format", "json"] + bad.options, input: bad.bytes)
    let words = bad.words.map { $0.replacingOccurrences(of: "input.json", with: "standard input") }
    expectRefusal(outcome, code: 1, says: words)
    #expect(!outcome.errorText.contains("--format"))
    #expect(harness.storeBytes() == before)
  }

  @Test func repeatedMemberIsNotCalledABreachOfJSON() async throws {
    let harness = try CommandLineHarness()
    let outcome = try await harness.run("commit", "l", "-", input: #"[{"id":1,"id":2}]"#)
    expectRefusal(outcome, code: 1, says: [":1:10: member \"id\" stands twice in one object"])
    #expect(!outcome.errorText.contains("not JSON"))
  }

  @Test func comparisonOfABadFileDoesNotSpeakOfChanges() async throws {
    let harness = try CommandLineHarness()
    try harness.write("[{", to: "bad.json")
    try harness.write("[]", to: "good.json")
    let outcome = try await harness.run("compare", "bad.json", "good.json")
    expectRefusal(outcome, code: 1, says: ["bad.json:1:3: not JSON", "Correct the input there"])
    #expect(!outcome.errorText.contains("changed"))
  }

  @Test func adviceOnAQuoteNamesTheOptionThatHelps() async throws {
    let harness = try CommandLineHarness()
    let table = "id^v\n1^\"x\" y\n"
    let options = ["commit", "l", "-", "--separator", "^", "--format", "csv"]
    let refused = try await harness.run(options, input: Array(table.utf8))
    expectRefusal(refused, code: 1, says: ["text after a closing quote", "--quoting none"])
    #expect(!refused.errorText.contains("--format"))
    let kept = try await harness.run(options + ["--quoting", "none"], input: Array(table.utf8))
    #expect(kept.exitCode == 0, "\(kept)")
    let shown = try await harness.succeed("show", "l").text
    #expect(shown == "[\n{\"id\":\"1\",\"v\":\"\\\"x\\\" y\"}\n]\n")
  }

  @Test func deepestAllowedNestingIsStoredAndReplayed() async throws {
    // A delta document nests an item three levels deeper. An older version could not read it again.
    let harness = try CommandLineHarness()
    try await harness.succeed("commit", "deep", "-", input: "[\(Self.item(depth: 512))]")
    try await harness.succeed("replay", "deep", "--check")
    try await harness.succeed("verify")
    let shown = try await harness.succeed("show", "deep").text
    #expect(shown == "[\n\(Self.item(depth: 512))\n]\n")
  }

  @Test(arguments: [["no", "such", "file.json"], ["folder"]])
  func unreadableInputIsRefusedWithItsPath(_ parts: [String]) async throws {
    let harness = try await CommandLineHarness.withParks()
    try FileManager.default.createDirectory(
      at: harness.url("folder"), withIntermediateDirectories: false)
    let (path, before) = (parts.joined(separator: "/"), harness.storeBytes())
    let reason = parts == ["folder"] ? "Is a directory" : "No such file or directory"
    let outcome = try await harness.run("commit", "parks", path)
    expectRefusal(outcome, code: 1, says: ["cannot read \(path): \(reason)", "Check its name"])
    #expect(harness.storeBytes() == before)
  }

  @Test(arguments: ["", ".hidden", "-x", "a/b", "a@2", "a b", "parks!", "é", "a\n"])
  func invalidListNameIsAUsageError(_ name: String) async throws {
    let harness = try await CommandLineHarness.withParks()
    let before = harness.storeBytes()
    let path = Example.url("parks-before.json").path
    // After "--", no argument is an option.
    let outcome = try await harness.run("commit", "--", name, path)
    expectRefusal(outcome, code: 2, says: ["a list name is 1 to 100 letters"])
    #expect(harness.storeBytes() == before)
  }

  @Test(arguments: ["show parks@3", "show parks@head~3", "diff parks 3", "delta parks --since 3"])
  func errorOfAMissingVersionListsTheExistingVersions(_ command: String) async throws {
    let harness = try await CommandLineHarness.withParks()
    let before = harness.storeBytes()
    let outcome = try await harness.run(command.split(separator: " ").map(String.init))
    expectRefusal(
      outcome, code: 3, says: ["parks has no version", "it has 0 and 1 to 2", "listsync log parks"])
    #expect(harness.storeBytes() == before)
  }

  @Test(arguments: ["commit", "lists"])
  func fileThatIsNotADatabaseIsRefusedAndUnchanged(_ verb: String) async throws {
    let harness = try CommandLineHarness()
    let text = String(repeating: "These are my notes, not a store.\n", count: 100)
    try harness.write(text, to: "notes.txt")
    let outcome = try await harness.run(arguments(verb) + ["--store", "notes.txt"])
    expectRefusal(outcome, code: 1, says: ["notes.txt is not a database", "--store"])
    #expect(try String(contentsOf: harness.url("notes.txt"), encoding: .utf8) == text)
    #expect(try harness.fileNames() == ["notes.txt"])
  }

  @Test(arguments: ["commit", "lists"])
  func databaseOfAnotherProgramIsRefusedAndUnchanged(_ verb: String) async throws {
    let harness = try CommandLineHarness()
    let path = harness.url("other.db").path
    try await DatabaseQueue(path: path).write {
      try $0.execute(sql: "CREATE TABLE lists (name); INSERT INTO lists VALUES (1)")
    }
    let before = harness.storeBytes("other.db")
    let outcome = try await harness.run(arguments(verb) + ["--store", "other.db"])
    expectRefusal(
      outcome, code: 1, says: ["other.db is the database of another program", "--store"])
    #expect(harness.storeBytes("other.db") == before)
  }

  @Test(arguments: ["commit", "lists"])
  func storeOfANewerVersionIsRefusedAndUnchanged(_ verb: String) async throws {
    let harness = try await CommandLineHarness.withParks()
    try harness.change("PRAGMA user_version = 999")
    let before = harness.storeBytes()
    let outcome = try await harness.run(arguments(verb))
    expectRefusal(
      outcome, code: 1,
      says: ["written by a newer listsync (schema 999, this one knows 1)", "Install a newer"])
    #expect(harness.storeBytes() == before)
  }

  @Test(arguments: [
    ("no/such/folder.db", "No such file or directory"), ("folder", "it is a folder"),
  ])
  func storeThatCannotBeWrittenIsAnInputOutputError(path: String, reason: String) async throws {
    let harness = try CommandLineHarness()
    try FileManager.default.createDirectory(
      at: harness.url("folder"), withIntermediateDirectories: false)
    let outcome = try await harness.run(arguments("commit") + ["--store", path])
    expectRefusal(
      outcome, code: 8, says: ["cannot open \(path): \(reason)", "Check that the folder exists"])
    #expect(try harness.fileNames() == ["folder"])
  }

  @Test func readingDoesNotCreateAMissingStore() async throws {
    let harness = try CommandLineHarness()
    let outcome = try await harness.run("lists")
    expectRefusal(
      outcome, code: 1, says: ["there is no store at listsync.db", "--store or LISTSYNC_STORE"])
    #expect(try harness.fileNames().isEmpty)
  }

  private func arguments(_ verb: String) -> [String] {
    verb == "commit" ? ["commit", "parks", Example.url("parks-after.json").path] : [verb]
  }
}

/// Expects an exit code, no answer, and some words on standard error.
func expectRefusal(
  _ outcome: CommandLineHarness.Outcome, code: Int32, says words: [String],
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(outcome.exitCode == code, "\(outcome)", sourceLocation: sourceLocation)
  #expect(outcome.output.isEmpty, sourceLocation: sourceLocation)
  for word in words {
    #expect(
      outcome.errorText.contains(word), "\(word)\n\(outcome)", sourceLocation: sourceLocation)
  }
}

extension CommandLineHarness {
  /// Changes a database, and gives its rows the digests of their new values.
  func change(_ sql: String, in name: String = "listsync.db") throws {
    let queue = try DatabaseQueue(path: url(name).path)
    try queue.writeWithoutTransaction { try $0.executeAsWritten(sql) }
    try queue.close()
  }

  /// Writes the log of the list of parks again, after a change of it.
  func rewriteLog(_ body: @Sendable (inout LoggedChange) -> Void) async throws {
    let store = try SQLiteStore(path: url("listsync.db").path, ifAbsent: .fail)
    try await store.rewriteLog(body)
  }
}
