import Foundation
import TestSupport
import Testing

/// Small inputs that other programs misread. Each is stored unchanged, or refused with its place.
@Suite struct HostileTextTests {
  @Test func idsThatDifferOnlyByUnicodeNormalisationAreTwo() async throws {
    let harness = try CommandLineHarness()
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    let text = "[\n{\"id\":\"\(composed)\"},\n{\"id\":\"\(decomposed)\"}\n]\n"
    try await harness.succeed("commit", "l", "-", input: text)
    #expect(Array(try await harness.succeed("show", "l").output) == Array(text.utf8))
    try await harness.succeed("edit", "l", "--remove", decomposed)
    let left = try await harness.succeed("show", "l").output
    #expect(left == Array("[\n{\"id\":\"\(composed)\"}\n]\n".utf8))
    try await harness.succeed("verify", "--deep")
    // Member names are also compared as bytes.
    try await harness.succeed(
      "commit", "m", "-", input: "[{\"id\":\"a\",\"\(composed)\":1,\"\(decomposed)\":2}]")
  }

  @Test func nulInIDsNamesAndContentsSurvivesEveryVerb() async throws {
    let harness = try CommandLineHarness()
    let text =
      #"[\#n{"id":"a\u0000b","x\u0000":"\u0000"},\#n{"id":"a\u0000c"},\#n{"id":"a"}\#n]\#n"#
    try await harness.succeed("commit", "l", "-", input: text)
    try await harness.succeed("commit", "l", "-", input: #"[{"id":"a\u0000c"},{"id":"a\u0000b"}]"#)
    #expect(try await harness.succeed("show", "l@1").text == text)
    try await harness.succeed("verify", "--deep")
    try await harness.succeed("replay", "l", "--check")
    try await harness.succeed("bundle", "create", "l", "-o", "l.bundle")
    try await harness.succeed("bundle", "apply", "l.bundle", "--as", "copy")
    #expect(
      try await harness.succeed("show", "copy").output == harness.succeed("show", "l").output)
    try await harness.succeed("diff", "l", "1", "2")
    // JSON forbids a raw control character; a table accepts it.
    let raw = try await harness.run("commit", "l", "-", input: "[{\"id\":\"a\u{0}\"}]")
    expectRefusal(raw, code: 1, says: ["standard input:1:10:", "control character U+0000"])
    try await harness.succeed("commit", "t", "-", input: "id,x\na\u{0}b,\u{0}\na\u{0}c,1\n")
    let table = try await harness.succeed("show", "t").text
    #expect(table.contains(#"{"id":"a\u0000b","x":"\u0000"}"#))
    let nuls = try await harness.run(
      "commit", "z", "-", input: String(repeating: "\u{0}", count: 50))
    expectRefusal(nuls, code: 1, says: ["there is no column 'id'"])
  }

  /// `JSONErrorTests` has the other forms.
  @Test(arguments: [#"\ud800"#, #"\udc00\ud800"#])
  func escapedLoneSurrogateIsRefused(_ escape: String) async throws {
    let harness = try await CommandLineHarness.withParks()
    let before = harness.storeBytes()
    for text in [#"[{"id":"\#(escape)"}]"#, #"[{"id":"a","\#(escape)":1}]"#] {
      let outcome = try await harness.run("commit", "parks", "-", input: text)
      expectRefusal(outcome, code: 1, says: ["half a surrogate pair"])
    }
    #expect(harness.storeBytes() == before)
  }

  /// A lone surrogate, an overlong form, and a truncated sequence. `UTF8SequenceTests` has all
  /// kinds.
  @Test(arguments: [[0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF0, 0x9F, 0x98]] as [[UInt8]])
  func bytesThatAreNotUTF8AreRefusedWithTheirPlace(_ bytes: [UInt8]) async throws {
    let harness = try await CommandLineHarness.withParks()
    let before = harness.storeBytes()
    let json = Array("[{\"id\":\"".utf8) + bytes + Array("\"}]".utf8)
    let csv = Array("id\n".utf8) + bytes + Array("\n".utf8)
    for (format, input, words) in [
      ("json", json, "standard input:1:9: not JSON: not UTF-8 at byte 8"),
      ("ndjson", Array(json.dropFirst().dropLast()), "1:8: not JSON: not UTF-8 at byte 7"),
      ("csv", csv, "standard input:2:1: not UTF-8 at byte 3"),
    ] {
      let outcome = try await harness.run(
        ["commit", "parks", "-", "--format", format], input: input)
      expectRefusal(outcome, code: 1, says: [words])
    }
    try harness.write(json, to: "delta.json")
    let delta = try await harness.run("commit", "parks", "--delta", "delta.json")
    expectRefusal(delta, code: 1, says: ["not UTF-8 at byte 8"])
    #expect(harness.storeBytes() == before)
  }

  /// They have ten thousand digits, or absurd exponents.
  @Test func extremeNumbersKeepTheirExactValueOrAreRefused() async throws {
    let harness = try CommandLineHarness()
    let digits = "1" + String(repeating: "0123456789", count: 1000)
    let taken = [
      (digits, "1." + digits.dropFirst() + "e+10000"), ("0." + digits, "0." + digits),
      ("-" + digits + ".5", "-1." + digits.dropFirst() + "5e+10000"),
      ("1e999999999", "1e+999999999"), ("1e-999999999", "1e-999999999"),
      ("0e999999999999999", "0"), ("1" + String(repeating: "0", count: 10_000), "1e+10000"),
      ("0." + String(repeating: "0", count: 10_000) + "1", "1e-10001"),
    ]
    for (number, canonical) in taken {
      let input = #"[{"id":"a","n":\#(number)}]"#
      _ = try await harness.run("commit", "l", "-", input: input)
      #expect(
        try await harness.succeed("show", "l").text == "[\n{\"id\":\"a\",\"n\":\(canonical)}\n]\n",
        "\(number.prefix(30))")
    }
    try await harness.succeed("verify", "--deep")
    for number in [
      "1e9999999999999999", "1e99999999999999999999", "1e-99999999999999999999",
      "12e999999999999999",
    ] {
      let outcome = try await harness.run(
        "commit", "l", "-", input: #"[{"id":"a","n":\#(number)}]"#)
      expectRefusal(outcome, code: 1, says: ["exponent has more than 15 digits"])
    }
    // A number as an id has a canonical form, so two spellings are one id.
    let twice = try await harness.run(
      "commit", "m", "-", input: #"[{"id":1e999999999},{"id":10e999999998}]"#)
    expectRefusal(twice, code: 1, says: ["'1e+999999999': item 1"])
    let long = try await harness.run("commit", "m", "-", input: #"[{"id":\#(digits)}]"#)
    expectRefusal(long, code: 1, says: ["the id has 10009 bytes, where 1024 are allowed"])
  }

  @Test func deltaThatClaimsImpossibleCountsIsRefused() async throws {
    let harness = try await CommandLineHarness.withParks()
    let delta = try await harness.succeed("delta", "parks", "--since", "2", "--to", "1").text
    let log = try await harness.succeed("log", "parks", "--json").text
    let cases = [
      (#""count":5"#, #""count":9223372036854775808"#, "/from/count is not a whole number from 0"),
      (#""count":5"#, #""count":18446744073709551616"#, "/from/count is not a whole number from 0"),
      (
        #""count":5"#, #""count":9007199254740991"#,
        "the list has 9007199254740991 items, where 10000000"
      ),
      (
        #""count":4"#, #""count":9007199254740991"#,
        "the list has 9007199254740991 items, where 10000000"
      ),
      (
        #""count":4"#, #""count":9007199254740992"#,
        "/to/count is not a whole number up to 9007199254740991"
      ),
      (#""count":5"#, #""count":10000000"#, "parks is at 2-"),
      (#""count":4"#, #""count":10000000"#, "the changes do not fit parks"),
      (#""from":1}"#, #""from":9007199254740991}"#, "the changes do not fit parks"),
      (#""from":1}"#, #""from":-1}"#, "is not a whole number from 0"),
      (#""to":0"#, #""to":9007199254740991"#, "the changes do not fit parks"),
    ]
    for (part, replacement, words) in cases {
      let text = delta.replacingOccurrences(of: part, with: replacement)
      try #require(text != delta)
      try harness.write(text, to: "delta.json")
      let outcome = try await harness.run("commit", "parks", "--delta", "delta.json")
      #expect(outcome.exitCode == 1 || outcome.exitCode == 4, "\(replacement): \(outcome)")
      #expect(
        outcome.output.isEmpty && outcome.errorText.contains(words), "\(replacement): \(outcome)")
    }
    #expect(try await harness.succeed("log", "parks", "--json").text == log)
    try await harness.succeed("verify", "--deep")
  }

  @Test func specialFileIsReadToItsEndOrRefusedByName() async throws {
    let harness = try CommandLineHarness()
    try FileManager.default.createDirectory(
      at: harness.url("folder"), withIntermediateDirectories: false)
    for way in [
      ["commit", "l", "folder"], ["commit", "l", "--delta", "folder"],
      ["bundle", "verify", "folder"],
    ] {
      expectRefusal(
        try await harness.run(way), code: 1, says: ["cannot read folder: Is a directory"])
    }
    expectRefusal(
      try await harness.run("commit", "l", "/dev/null"), code: 1, says: ["/dev/null is empty"])
    expectRefusal(
      try await harness.run("bundle", "verify", "/dev/null"), code: 1, says: ["is not a bundle"])

    #expect(mkfifo(harness.url("pipe").path, 0o600) == 0)
    async let outcome = harness.run("commit", "l", "pipe", "--format", "json")
    let path = harness.url("pipe")
    try await onThread {
      let pipe = try FileHandle(forWritingTo: path)
      for byte in #"[{"id":"a"},{"id":"b"}]"#.utf8 { try pipe.write(contentsOf: Data([byte])) }
      try pipe.close()
    }
    let taken = try await outcome
    #expect(taken.exitCode == 0 && taken.text.contains("2 inserted"), "\(taken)")
  }

  @Test func inputThatChangesDuringReadingIsReadAsOneOfItsStatesOrRefused() async throws {
    let harness = try await CommandLineHarness.withParks()
    let items = (0..<8_000).map { #"{"id":"\#($0)"}"# }
    let (long, short) = ("[" + items.joined(separator: ",") + "]", #"[{"id":"a"}]"#)
    try harness.write(short, to: "changing.json")
    let path = harness.url("changing.json")
    let changing = Task.detached {
      var round = 0
      while !Task.isCancelled {
        round += 1
        let file = try FileHandle(forWritingTo: path)
        // Writes in place, so that a reader sees the file truncated, grown, or mixed.
        try file.truncate(atOffset: round % 3 == 0 ? 0 : 5)
        try file.seek(toOffset: 0)
        try file.write(contentsOf: Data((round % 2 == 0 ? long : short).utf8))
        try file.close()
        try? await Task.sleep(for: .milliseconds(10))
      }
    }
    var codes: [Int32: Int] = [:]
    for _ in 0..<10 {
      let outcome = try await harness.run("commit", "changing", "changing.json")
      codes[outcome.exitCode, default: 0] += 1
      #expect([0, 1].contains(outcome.exitCode), "\(outcome)")
    }
    changing.cancel()
    try await changing.value
    #expect(try await harness.succeed("verify", "--deep").text.contains("parks: 2 versions"))
    print("input that changes: exit codes \(codes)")
  }
}
