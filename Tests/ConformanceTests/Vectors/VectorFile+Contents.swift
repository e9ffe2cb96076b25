import ListModel
import TestSupport

extension VectorFile {
  /// Texts and how the program writes them.
  static var spellings: VectorFile {
    let digits = "3f9a1c2b7d40c5e6918f20aa3b7714de"
    let written: [(kind: String, rule: String, texts: [String], write: (String) -> String?)] = [
      (
        "version", "P10", ["0", "7", "007", "4294967294", "", "-1", "+1", " 1", "1.0", "٧"],
        { Version(text: $0)?.description }
      ),
      (
        "cursor", "P10",
        [
          "0-" + String(repeating: "0", count: 32), "7-\(digits)", "7-\(digits.uppercased())",
          "07-\(digits)", "7", "7-\(digits.dropLast())", "7-\(digits)0",
          "7-\(digits.dropLast())g", "-7-\(digits)", "7 -\(digits)", "7-\(digits)-",
          "٧-\(digits)",
        ], { Cursor($0)?.description }
      ),
      (
        "root", "P8",
        [
          String(repeating: "0", count: 64), digits + digits, (digits + digits).uppercased(),
          digits, digits + digits.dropLast(), digits + digits + "00",
          "0x" + digits + digits.dropLast(2),
        ], { Root($0)?.description }
      ),
      (
        "chain", "P10",
        [
          digits + digits, (digits + digits).uppercased(), digits,
        ], { Chain($0)?.description }
      ),
      (
        "list-name", "P6",
        [
          "parks", "P", "_x", "2026", "team-a.b_c", String(repeating: "x", count: 100), "", ".x",
          "-x", "a b", "a/b", "parcs-é", String(repeating: "x", count: 101),
        ], { ListName($0)?.description }
      ),
      (
        "time", "P12",
        [
          "1970-01-01T00:00:00Z", "2026-11-21T11:37:00.250Z", "0001-01-01T00:00:00Z",
          "9999-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z", "2024-02-29T00:00:00Z",
          "2026-02-29T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21 11:37:00Z",
          "2026-11-21T11:37:00", "2026-11-21T11:37Z", "2026-11-21T11:37:60Z",
          "0000-12-31T00:00:00Z",
        ],
        {
          if case .moment(let time)? = Timestamp.read($0) { time.description } else { nil }
        }
      ),
    ]
    let vectors = written.flatMap { kind, rule, texts, write in
      texts.map { text -> VectorValue in
        let ending: (String, VectorValue) =
          write(text).map { ("written", .text($0)) } ?? ("refused", true)
        var members: [(name: String, value: VectorValue)] = [
          ("name", .text("\(kind) \(text)")), ("rules", [.text(rule)]), ("kind", .text(kind)),
          ("text", .text(text)), ending,
        ]
        if kind == "time", case .moment(let time)? = Timestamp.read(text) {
          members.append(("milliseconds", .number(Int(time.millisecondsSince1970))))
        }
        return .members(members)
      }
    }
    return VectorFile(
      name: "spellings",
      about: "A text of a kind, and how it is written; or refused. Times also in milliseconds.",
      vectors: vectors)
  }

  static func contents() throws -> VectorFile {
    VectorFile(
      name: "contents",
      about: "A JSON text and its canonical form; or refused. 'hex' holds the bytes of a text "
        + "that is not UTF-8.",
      vectors: try accepted().map { name, rule, json in
        [
          "name": .text(name), "rules": [.text(rule)], "json": .text(json),
          "canonical": .text(try Content(json: json).description),
        ]
      } + refused())
  }

  private static func accepted() -> [(name: String, rule: String, json: String)] {
    let values = [
      ("white space outside", "P2", " \t\r\n{ \"a\" : [ 1 , 2 ] }\n"),
      ("byte order mark", "P1", "\u{FEFF}{}"),
      ("empty object", "P2", "{ }"), ("empty array", "P2", "[ ]"), ("empty name", "P2", #"{"":1}"#),
      ("members by bytes", "P2", #"{"b":1,"a":2,"B":3,"":4,"aa":5,"é":6,"z":7}"#),
      ("members beyond the BMP", "P2", "{\"\u{1F600}\":1,\"\u{FFFD}\":2,\"\u{E000}\":3}"),
      ("escaped member names", "P2", #"{"\u0062":1,"\u0061":2,"\n":3}"#),
      ("nested members", "P2", #"{"b":{"d":1,"c":[{"f":1,"e":2}]},"a":null}"#),
      ("composed and decomposed names", "P2", "{\"e\u{301}\":1,\"\u{E9}\":2}"),
      ("literals", "P1", "[true,false,null]"),
      ("depth 512", "P1", nested(512)),
      ("short escapes", "P3", #""\"\\\/\b\f\n\r\t""#),
      ("control characters", "P3", #""\u0000\u0001\u001f\u007f\u0008\u000a\u001F""#),
      ("needless escapes", "P3", #""\u0041\u00e9\u20AC\u2028""#),
      ("surrogate pair", "P3", #""\ud83d\ude00\uDBFF\uDFFF""#),
      ("no normalisation", "P3", "\"e\u{301}\u{E9}\u{212B}\""),
      ("separators and unassigned", "P3", "\"\u{2028}\u{2029}\u{FFFE}\u{10FFFF}\""),
    ]
    let numbers = [
      "0", "-0", "0.0", "-0.00", "0e5", "0E-999999999999999", "1",
      "-1", "1.0", "1.00", "100", "10e1", "1e2", "1E+2", "1e-2", "0.01", "1.10", "123.4500",
      "0.000001", "0.0000001", "0.00000123", "123456789012345678901", "1234567890123456789012",
      "100000000000000000000", "1000000000000000000000", "1e20", "1e21", "1e22",
      "12345678901234567890.5", "123456789012345678901.5", "1234567890123456789012.5",
      "0.1234567890123456789012345", "9007199254740993", "1e400", "-1e-400", "1e999999",
      "1e000000000000000000001", "1e999999999999999", "1e-999999999999999",
      "0.1e-999999999999998", "10e999999999999998", "3.141592653589793238462643383279",
    ].map { ("number \($0)", "P4", String($0)) }
    return values.map { (name: $0.0, rule: $0.1, json: $0.2) }
      + numbers.map { (name: $0.0, rule: $0.1, json: $0.2) }
  }

  static func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  private static func refused() -> [VectorValue] {
    let texts = [
      "", " ", "{", "[1", "[1,]", "[,1]", #"{"a":1,}"#, #"{"a"}"#, #"{a:1}"#, #"{'a':1}"#, "1 2",
      "{}{}", "nul", "True", "NaN", "Infinity", "-Infinity", "+1", "01", "-01", "1.", ".5", "1e",
      "1e+", "-", "0x1", "1_000", "١", "[1\u{A0}]", "\u{FEFF}\u{FEFF}1", "// 1\n1", #""\x41""#,
      #""\u12""#, #""\u12G4""#, "\"a", "\"\t\"", "\"\n\"", "\"\u{1F}\"", #"{"a":1,"a":1}"#,
      #"{"a":1,"\u0061":2}"#, #"{"x":{"b":1,"c":2,"b":3}}"#, #""\ud83d""#, #""\ude00""#,
      #""\ud83dx""#, #""\ud83d\ud83d""#, #""\ude00\ud83d""#, #"{"\ud800":1}"#,
      "1e1000000000000000", "1e-1000000000000000", "10e999999999999999",
      "0.01e-999999999999998", nested(513),
    ].map { text -> VectorValue in
      [
        "name": .text("refused \(text.count < 40 ? text : "depth 513")"), "rules": ["P1"],
        "json": .text(text), "refused": true,
      ]
    }
    let bytes = [
      "22ff22", "22c08022", "22e0808022", "22eda08022", "22f490808022", "22e28222", "228022",
      "fffe3100",
    ].map { hex -> VectorValue in
      ["name": .text("bytes \(hex)"), "rules": ["P1"], "hex": .text(hex), "refused": true]
    }
    return texts + bytes
  }
}
