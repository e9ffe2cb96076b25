import ListChanges
import ListDocuments
import ListModel

/// Documents with a part that is no JSON by P1, wherever it stands.
extension VectorFile {
  /// - Parameter plain: a sound document, whose parts are replaced.
  static func refusedJSON(in plain: String) throws -> [(String, String, [Item], String)] {
    let start = try History.parks().snapshots[1].items
    return try refusedMembers.map { name, rule, edits in
      (name, rule, start, try plain.edited(edits))
    } + refusedContents()
  }

  /// Members that a reader may ignore or misread, and those that it must not find.
  private static let refusedMembers: [(String, String, [(String, String)])] = {
    let more = #""more":false"#
    let unknown = [
      ("a number with a zero before it", "01"), ("a point without digits", "1."), ("no value", ""),
      ("a member twice", #"{"a":1,"a":2}"#),
      ("a member twice after unescaping", #"{"a":1,"\u0061":2}"#),
      ("half a surrogate pair", #""\ud800""#),
      ("half a surrogate pair in a name", #"{"\udc00":1}"#),
      ("a control character", "\"\u{1}\""), ("an escape that is none", #""\x41""#),
      ("an exponent of 16 digits", "1e1000000000000000"), ("a literal that is none", "nul"),
      ("too much depth", nested(600)), ("another bracket", "[1}"), ("a comma at the end", "[1,]"),
      ("a byte order mark", "\u{FEFF}1"), ("white space of another kind", "\u{A0}1"),
    ]
    return unknown.map { name, text in
      ("unknown member: \(name)", "P1", [(more, #"\#(more),"x":\#(text)"#)])
    } + [
      ("an unknown member twice", "P1", [(more, #"\#(more),"x":1,"x":1"#)]),
      ("__proto__ twice", "P1", [(more, #"\#(more),"__proto__":1,"__proto__":1"#)]),
      ("an unknown member of a change twice", "P1", [(#""from":2}"#, #""from":2,"x":1,"x":1}"#)]),
      (
        "an unknown member of a state twice", "P1",
        [(#""version":2,"#, #""version":2,"x":1,"x":1,"#)]
      ),
      (
        "the format in __proto__", "P22",
        [(#""format":"list-delta/1""#, #""__proto__":{"format":"list-delta/1"}"#)]
      ),
      ("a change in __proto__", "P22", [(#""id":"acadia""#, #""__proto__":{"id":"acadia"}"#)]),
      ("a count in __proto__", "P22", [(#""count":5"#, #""__proto__":{"count":5}"#)]),
      ("an index with a zero before it", "P22", [(#""from":2}"#, #""from":02}"#)]),
      ("nearly an index", "P22", [(#""from":2}"#, #""from":2.00000000000000000001}"#)]),
      ("nearly a count", "P22", [(#""count":5"#, #""count":5.00000000000000000001"#)]),
      ("two byte order marks", "P22", [(#"{"format"#, "\u{FEFF}\u{FEFF}{\"format")]),
    ]
  }()

  /// Items whose contents are no JSON, with the root of their bytes: a careless program takes
  /// them as they are.
  private static func refusedContents() throws -> [(String, String, [Item], String)] {
    let texts = [
      #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"{"__proto__":1,"__proto__":2}"#, "01", "-", "1.",
      #""\ud83d""#, #"{"\ude00":1}"#, "\"\t\"", #""\x41""#, "[1}", "[1 2]", "nul", "NaN",
      "1e1000000000000000", nested(513),
    ]
    return texts.flatMap { text -> [(String, String, [Item], String)] in
      let item = Item(id: "x", content: Content(canonicalBytes: Array(text.utf8)))
      let name = text.count < 40 ? text : "depth 513"
      let whole = SnapshotDelta(
        list: History.list, from: nil, to: ListState(of: Snapshot(uniqueItems: [item])),
        oldest: .zero, snapshot: Snapshot(uniqueItems: [item]), reason: .diverged)
      return [
        (
          "content \(name)", "P1", [],
          Draft(inserted: [.init(item: item, to: 0)]).document(from: [], to: [item])
        ),
        (
          "whole list: content \(name)", "P1", [],
          String(decoding: whole.encoded(.line), as: UTF8.self)
        ),
      ]
    }
  }
}
