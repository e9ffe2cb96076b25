import Foundation
import ListModel
import TestSupport
import Testing

struct JSONParserTests {
  typealias Reason = JSONError.Reason

  /// The error of reading the bytes as one value, or nil.
  private func error(_ bytes: [UInt8]) -> JSONError? {
    do throws(JSONError) {
      _ = try canonical(bytes)
      return nil
    } catch {
      return error
    }
  }

  private func canonical(_ bytes: [UInt8]) throws(JSONError) -> String {
    var parser = JSONParser(bytes)
    parser.skipWhitespace()
    let value = try parser.canonicalValue()
    try parser.expectEnd()
    return String(decoding: value, as: UTF8.self)
  }

  // Offsets by hand: the first invalid byte, or the end.
  @Test(
    arguments: [
      ("", 0, .cutOff(expected: "a JSON value")),
      ("  \n", 3, .cutOff(expected: "a JSON value")),
      ("[1,", 3, .cutOff(expected: "a JSON value")),
      ("[1", 2, .cutOff(expected: "',' or ']' in an array")),
      ("[", 1, .cutOff(expected: "a JSON value")),
      ("{", 1, .cutOff(expected: "a member name in quotes")),
      (#"{"a""#, 4, .cutOff(expected: "':' after a member name")),
      (#"{"a":"#, 5, .cutOff(expected: "a JSON value")),
      (#"{"a":1"#, 6, .cutOff(expected: "',' or '}' in an object")),
      (#"{"a":1,"#, 7, .cutOff(expected: "a member name in quotes")),
      (#""abc"#, 4, .cutOff(expected: "the closing quote of a string")),
      (#""\"#, 2, .cutOff(expected: "an escape after '\\'")),
      (#""\u00"#, 5, .cutOff(expected: "four hex digits after \\u")),
      (#""\uD800\uDC"#, 11, .cutOff(expected: "four hex digits after \\u")),
      ("-", 1, .cutOff(expected: "a digit")), ("1.", 2, .cutOff(expected: "a digit after '.'")),
      ("1e+", 3, .cutOff(expected: "a digit in an exponent")),
      ("tru", 3, .cutOff(expected: "true")),
      ("x", 0, .expected("a JSON value", found: "\"x\"")),
      ("\u{FEFF} x", 4, .expected("a JSON value", found: "\"x\"")),
      ("\u{FEFF}\u{FEFF}1", 3, .expected("a JSON value", found: "\"\u{FEFF}\"")),
      ("[é]", 1, .expected("a JSON value", found: "\"é\"")),
      ("[1,\u{0}]", 3, .expected("a JSON value", found: "the byte 0x00")),
      ("[\u{7F}]", 1, .expected("a JSON value", found: "the byte 0x7f")),
      ("[,1]", 1, .expected("a JSON value", found: "\",\"")),
      ("[1,]", 3, .expected("a JSON value", found: "\"]\"")),
      ("[1 2]", 3, .expected("',' or ']' in an array", found: "\"2\"")),
      ("[1}", 2, .expected("',' or ']' in an array", found: "\"}\"")),
      ("{a:1}", 1, .expected("a member name in quotes", found: "\"a\"")),
      (#"{"a":1,}"#, 7, .expected("a member name in quotes", found: "\"}\"")),
      (#"{"a" 1}"#, 5, .expected("':' after a member name", found: "\"1\"")),
      (#"{"a":1 "b":2}"#, 7, .expected("',' or '}' in an object", found: "\"\"\"")),
      ("truE", 3, .expected("true", found: "\"E\"")),
      ("nan", 1, .expected("null", found: "\"a\"")),
      ("falsy", 4, .expected("false", found: "\"y\"")),
      ("1 2", 2, .expected("the end of the input", found: "\"2\"")),
      ("truex", 4, .expected("the end of the input", found: "\"x\"")),
      ("[]]", 2, .expected("the end of the input", found: "\"]\"")),
      ("01", 1, .expected("no digit after a leading zero", found: "\"1\"")),
      ("[-00]", 3, .expected("no digit after a leading zero", found: "\"0\"")),
      ("+1", 0, .expected("a JSON value", found: "\"+\"")),
      (".5", 0, .expected("a JSON value", found: "\".\"")),
      ("-x", 1, .expected("a digit", found: "\"x\"")),
      ("1.e1", 2, .expected("a digit after '.'", found: "\"e\"")),
      ("1ee2", 2, .expected("a digit in an exponent", found: "\"e\"")),
      ("0x10", 1, .expected("the end of the input", found: "\"x\"")),
      (#""\x""#, 2, .expected("one of \" \\ / b f n r t u after '\\'", found: "\"x\"")),
      (#""\u00g0""#, 5, .expected("four hex digits after \\u", found: "\"g\"")),
      ("\"\\u12４4\"", 5, .expected("four hex digits after \\u", found: "\"４\"")),
      ("\"a\nb\"", 2, .controlCharacter(0x0A)), ("\"\u{0}", 1, .controlCharacter(0)),
      (#"["\uDC00"]"#, 2, .loneSurrogate), ("[1e1000000000000000]", 2, .exponentTooLarge),
      (#"{"a":1,"b":2,"a":3}"#, 13, .duplicateMember("a")),
    ] as [(String, Int, Reason)])
  func everyErrorNamesTheByteAtFault(text: String, offset: Int, reason: Reason) {
    #expect(error(Array(text.utf8)) == JSONError(offset: offset, reason: reason))
  }

  // Offsets by hand: the start of the second spelling of the name.
  @Test(arguments: [
    (#"{"a":1,"a":1}"#, 7, "a"), (#"{"a":1,"\u0061":2}"#, 7, "a"),
    (#"{"\u0061":1,"a":2}"#, 12, "a"), (#"{"b":0,"a":1,"a":2}"#, 13, "a"),
    (#"{"a":0,"b":1,"a":2,"c":3}"#, 13, "a"), (#"{"":1,"":2}"#, 6, ""),
    (#"[{"x":{"a":[],"b":{},"a":0}}]"#, 21, "a"), (#"{"a":{"a":{"c":1,"c":2}}}"#, 17, "c"),
    (#"{"a\n":1,"a\u000a":2}"#, 9, "a\n"), (#"{"\/":1,"/":2}"#, 8, "/"),
    (#"{"\ud83d\ude00":1,"😀":2}"#, 18, "😀"),
    (#"{"b":1,"a":{"b":1},"b":2}"#, 19, "b"),
  ])
  func duplicateMembersAreRefused(text: String, offset: Int, name: String) {
    #expect(error(Array(text.utf8)) == JSONError(offset: offset, reason: .duplicateMember(name)))
  }

  @Test func differentObjectsMayUseTheSameMemberName() throws {
    let text = #"{"a":{"a":{"a":1},"b":[{"a":1},{"a":2}]},"b":{"a":1,"b":2}}"#
    #expect(try canonical(Array(text.utf8)) == text)
  }

  // Overlong, surrogates, above U+10FFFF, cut, tail alone: each in a string, a name and outside.
  @Test(
    arguments: [
      [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xF0, 0x80, 0x80, 0x80],
      [0xF0, 0x8F, 0xBF, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
      [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0x80],
      [0xBF],
    ] as [[UInt8]])
  func invalidUTF8IsRefusedWithItsOffset(bytes: [UInt8]) {
    func refusal(_ before: String, _ after: String) -> JSONError? {
      error(Array(before.utf8) + bytes + Array(after.utf8))
    }
    #expect(refusal(#"["é"#, #""]"#) == JSONError(offset: 4, reason: .notUTF8))
    #expect(refusal(#"["a"#, "") == JSONError(offset: 3, reason: .notUTF8))
    #expect(refusal(#"{"a":1,"b"#, #"":2}"#) == JSONError(offset: 9, reason: .notUTF8))
    #expect(refusal("[1,", "]") == JSONError(offset: 3, reason: .notUTF8))
    #expect(refusal("[1", "]") == JSONError(offset: 2, reason: .notUTF8))
    #expect(refusal(#""\"#, #"""#) == JSONError(offset: 2, reason: .notUTF8))
    #expect(refusal("1 ", "") == JSONError(offset: 2, reason: .notUTF8))
    #expect(refusal("", "") == JSONError(offset: 0, reason: .notUTF8))
  }

  @Test func parserSkipsOnlyACompleteByteOrderMarkAtTheStart() throws {
    #expect(try canonical([0xEF, 0xBB, 0xBF, 0x31]) == "1")
    #expect(
      error([0xEF, 0xBB, 0xBF]) == JSONError(offset: 3, reason: .cutOff(expected: "a JSON value")))
    #expect(error([0xEF, 0xBB, 0x31]) == JSONError(offset: 0, reason: .notUTF8))
    #expect(error([0xEF, 0xBB]) == JSONError(offset: 0, reason: .notUTF8))
    #expect(
      error([0x31, 0xEF, 0xBB, 0xBF])
        == JSONError(offset: 1, reason: .expected("the end of the input", found: "\"\u{FEFF}\"")))
  }

  @Test func depth512IsAcceptedAnd513Refused() throws {
    func arrays(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    func objects(_ depth: Int) -> String {
      String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
    }
    for text in [arrays(512), objects(512)] { #expect(try canonical(Array(text.utf8)) == text) }
    let tooDeep = JSONError.Reason.limit(ExceededLimit(.depth, bound: 512))
    #expect(error(Array(arrays(513).utf8)) == JSONError(offset: 512, reason: tooDeep))
    // 512 times the five bytes of {"a": stand before it.
    #expect(error(Array(objects(513).utf8)) == JSONError(offset: 2_560, reason: tooDeep))
    #expect(
      error(Array(repeating: UInt8(ascii: "["), count: 1_000_000))
        == JSONError(offset: 512, reason: tooDeep))
    // Width is not depth.
    let wide = "[" + Array(repeating: "[[]]", count: 1_000).joined(separator: ",") + "]"
    #expect(try canonical(Array(wide.utf8)) == wide)
  }

  @Test func parserReadsConsecutiveValues() throws {
    var parser = JSONParser(Array(#"{"b":1,"a":2} [3] "x""#.utf8))
    #expect(try parser.canonicalValue() == Array(#"{"a":2,"b":1}"#.utf8))
    #expect(parser.index == 13)
    #expect(
      throws: JSONError(offset: 14, reason: .expected("the end of the input", found: "\"[\""))
    ) {
      var copy = parser
      try copy.expectEnd()
    }
    parser.skipWhitespace()
    #expect(try parser.canonicalValue() == Array("[3]".utf8))
    parser.skipWhitespace()
    #expect(parser.current == UInt8(ascii: "\""))
    #expect(try parser.canonicalValue() == Array(#""x""#.utf8))
    #expect(parser.current == nil)
    try parser.expectEnd()
  }

  @Test func everyPrefixOfAValueIsRefusedAtOrBeforeItsEnd() throws {
    let text = #"{"a\n":[1.5e-3,true,null,"\ud83d\ude00é"],"b":{"c":-0}}"#
    let bytes = Array(text.utf8)
    _ = try canonical(bytes)
    for count in 0..<bytes.count {
      let offset = try #require(
        error(Array(bytes.prefix(count)))?.offset, "the first \(count) bytes")
      #expect(offset <= count)
    }
  }
}

/// Nicolas Seriot's JSONTestSuite.
@Suite(
  .enabled(
    if: Shared.has("suites/json-parsing.tar.xz"),
    "skipped: suites/json-parsing.tar.xz is not beside the checkout"))
struct JSONTestSuiteTests {
  /// The two texts that RFC 8259 allows (names "SHOULD be unique") but a content refuses.
  private static let duplicates: Set<String> = [
    "y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json",
  ]

  @Test func parserFollowsTheJSONTestSuiteExceptForDuplicateMembers() throws {
    let folder = try Shared.unpack("suites/json-parsing.tar.xz")
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = try FileManager.default.contentsOfDirectory(
      at: folder.appendingPathComponent("test_parsing"), includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == "json" }
    var counts: [String: Int] = [:]
    for file in files {
      let name = file.lastPathComponent
      let error = try refusal(of: Array(Data(contentsOf: file)), name)
      switch name.prefix(2) {
      case "y_" where Self.duplicates.contains(name):
        // Both are {"a":…,"a":…} with texts of one letter as values.
        #expect(error == JSONError(offset: 9, reason: .duplicateMember("a")), "\(name)")
      case "y_": #expect(error == nil, "\(name) must be accepted")
      case "n_": #expect(error != nil, "\(name) must be refused")
      // Both results are right for i_; the test is that reading does not crash.
      default: break
      }
      counts[String(name.prefix(2)), default: 0] += 1
    }
    // Counted in the archive with tar -t.
    #expect(counts == ["y_": 95, "n_": 188, "i_": 35])
  }

  /// Nil when the bytes are accepted; then their canonical form must be accepted unchanged.
  private func refusal(of bytes: [UInt8], _ name: String) throws -> JSONError? {
    var parser = JSONParser(bytes)
    parser.skipWhitespace()
    do {
      let canonical = try parser.canonicalValue()
      try parser.expectEnd()
      let text = try #require(String(validating: canonical, as: UTF8.self), "\(name)")
      #expect(try Content(json: text).bytes == canonical, "\(name)")
      return nil
    } catch let error as JSONError {
      #expect((0...bytes.count).contains(error.offset), "\(name)")
      return error
    }
  }
}
