import Foundation
import ListModel
import TestSupport
import Testing

struct ContentTests {
  @Test func damagedContentsAreRefusedAndCanonicalOnesAccepted() throws {
    let sound = [#"{"a":[1,"\n"],"b":"é"}"#, "1e+30", #""""#, "null", #"{"\t":0}"#, "[]"]
    let damaged = [
      "", "{", #"{"a":1,"a":2}"#, #"{"b":1,"a":2}"#, "1.0", " 1", "1 ", "12 3", #""\u0041""#,
      "\u{FEFF}1", "[1,]", "nul", "[[", #"{"a":{"c":1,"b":2}}"#,
    ]
    func content(_ text: String) -> Content { Content(canonicalBytes: Array(text.utf8)) }
    // The data that one call leaves must not affect the next.
    var check = ContentCheck()
    for text in damaged {
      let isRefused = !check.isCanonical(content(text))
      #expect(isRefused, "\(text)")
      for other in sound {
        let isTaken = check.isCanonical(content(other))
        #expect(isTaken, "\(other) after \(text)")
      }
    }
  }

  // By hand, from the definition of canonical form.
  @Test(arguments: [
    (" \t\r\n{ \"b\" : [ 1 , 2 ] , \"a\" : { } }\n", #"{"a":{},"b":[1,2]}"#),
    ("[ ]", "[]"), ("[\n1\t,\r2 ]", "[1,2]"), ("true", "true"), (" false ", "false"),
    ("null", "null"), (#""""#, #""""#),
    // Members are ordered by their UTF-8 bytes: a prefix first, upper case before lower case,
    // U+FFFF before U+10000.
    (#"{"aa":1,"a":2,"B":3,"":4}"#, #"{"":4,"B":3,"a":2,"aa":1}"#),
    ("{\"\u{10000}\":1,\"\u{FFFF}\":2}", "{\"\u{FFFF}\":2,\"\u{10000}\":1}"),
    // The order uses the name, not its escaped form: U+0001 is less than "!", though "\" is
    // greater.
    (#"{"!":1,"\u0001":2}"#, #"{"\u0001":2,"!":1}"#),
    (#"{"]":1,"\\":2,"[":3}"#, #"{"[":3,"\\":2,"]":1}"#),
    (#"[{"z":{"d":1,"c":2},"y":0},{"b":1,"a":2}]"#, #"[{"y":0,"z":{"c":2,"d":1}},{"a":2,"b":1}]"#),
    // Composed and decomposed "é" are two members.
    ("{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"e\u{301}\":2,\"\u{E9}\":1}"),
    // A byte order mark before the value is not part of it.
    ("\u{FEFF}[1]", "[1]"),
  ])
  func textsHaveTheirCanonicalForm(text: String, canonical: String) throws {
    #expect(try Content(json: text).description == canonical)
    #expect(try Content(json: canonical).description == canonical)
  }

  @Test func contentsAreEqualExactlyWhenTheirCanonicalFormsAre() throws {
    #expect(try Content(json: #"{"a":1,"b":2}"#) == Content(json: #"{ "b": 2.0, "\u0061": 1 }"#))
    #expect(try Content(json: "[1,2]") != Content(json: "[2,1]"))
    #expect(try Content(json: "1") != Content(json: "\"1\""))
    #expect(try Content(json: "\"\u{E9}\"") != Content(json: "\"e\u{301}\""))
  }

  // Counts above and below the bound for sorting one by one; names of equal length, and escaped
  // names.
  @Test(arguments: [2, 3, 31, 32, 33, 34, 200])
  func membersAreSortedHoweverManyThereAre(count: Int) throws {
    var random = SeededRandom.forThisRun()
    let members = (0..<count).map { #""n\#(100 + $0)":{"a":\#($0)}"# }
    let sorted = "{" + members.joined(separator: ",") + "}"
    for _ in 0..<5 {
      var shuffled = members.shuffled(using: &random)
      let text = "{" + shuffled.joined(separator: " , ") + "}"
      #expect(try Content(json: text).description == sorted, "\(text), seed \(random.seed)")
      let escaped = text.replacing("\"n1", with: #""\u006e1"#)
      #expect(try Content(json: escaped).description == sorted, "\(text), seed \(random.seed)")
      shuffled.append(shuffled[0])
      let twice = "{" + shuffled.joined(separator: ",") + "}"
      let offset = twice.utf8.count - shuffled[0].utf8.count - 1
      let name = String(shuffled[0].dropFirst().prefix(4))
      #expect(throws: JSONError(offset: offset, reason: .duplicateMember(name))) {
        try Content(json: twice)
      }
    }
  }

  @Test func adjacentAndNestedObjectsWithDifferentMemberOrdersAreSorted() throws {
    let orders = ["abc", "acb", "bac", "bca", "cab", "cba"]
    let sorted = #"{"a":{"x":1,"y":2},"b":"b","c":"c"}"#
    for first in orders {
      for second in orders {
        let objects = [first, second, first].map { order in
          let members = order.map { name in
            name == "a" ? #""a":{"y":2,"x":1}"# : #""\#(name)":"\#(name)""#
          }
          return "{" + members.joined(separator: ",") + "}"
        }
        let text = "[" + objects.joined(separator: ",") + "]"
        #expect(try Content(json: text).description == "[\(sorted),\(sorted),\(sorted)]")
      }
    }
  }

  @Test func randomValuesHaveOneFormForAllSpellings() throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<1_000 {
      let value = RandomJSON(using: &random)
      let (a, b) = (value.spelling(using: &random), value.spelling(using: &random))
      let content = try Content(json: a)
      #expect(try Content(json: b) == content, "\(a) and \(b), seed \(random.seed)")
      #expect(
        try Content(json: content.description).bytes == content.bytes, "\(a), seed \(random.seed)")
    }
  }

  @Test func foundationReadsTheSameValueFromTheCanonicalText() throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<1_000 {
      let value = RandomJSON(using: &random)
      let text = value.spelling(using: &random)
      let content = try Content(json: text)
      let decoded = try JSONDecoder().decode(Decoded.self, from: Data(content.bytes))
      #expect(decoded.isSame(as: value), "\(text), seed \(random.seed)")
    }
  }
}

/// A value as Foundation reads it.
private indirect enum Decoded: Decodable {
  case null
  case boolean(Bool)
  case number(Double)
  case string(String)
  case array([Decoded])
  case object([String: Decoded])

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let boolean = try? value.decode(Bool.self) {
      self = .boolean(boolean)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let array = try? value.decode([Decoded].self) {
      self = .array(array)
    } else {
      self = .object(try value.decode([String: Decoded].self))
    }
  }

  func isSame(as value: RandomJSON) -> Bool {
    switch (self, value) {
    case (.null, .null): true
    case (.boolean(let a), .boolean(let b)): a == b
    case (.number(let a), .number(let b)):
      a == Double("\(b.isNegative ? "-" : "")0\(b.digits)e\(b.exponent)")
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    case (.array(let a), .array(let b)):
      a.count == b.count && zip(a, b).allSatisfy { $0.isSame(as: $1) }
    case (.object(let a), .object(let b)):
      a.count == b.count && b.allSatisfy { a[$0.name]?.isSame(as: $0.value) ?? false }
    default: false
    }
  }
}
