import ListDocuments
import ListModel

extension VectorFile {
  static func refusals() throws -> VectorFile {
    let history = try History.parks()
    let (plain, whole) = (history.document(1, 2), history.whole(2, .first, from: 0))
    let sums = history.states.map(\.root.description)
    let chains = history.records.map(\.header.previous.hex)
    let cursor = #""cursor":"\#(history.states[2].knownCursor)""#
    let edits: [(String, String, [(String, String)])] = [
      ("another format", "P19", [("list-delta/1", "list-delta/2")]),
      ("no format", "P19", [(#""format":"list-delta/1","#, "")]),
      ("another kind", "P19", [(#""kind":"changes""#, #""kind":"change""#)]),
      ("no removed", "P19", [(#""removed":[{"id":"acadia","from":2}],"#, "")]),
      ("removed is null", "P19", [(#"[{"id":"acadia","from":2}]"#, "null")]),
      ("no id", "P13", [(#""id":"acadia","#, "")]), ("an empty id", "P5", [(#""acadia""#, #""""#)]),
      ("a number as an id", "P5", [(#""acadia""#, "7")]),
      ("no content", "P13", [(#","content":{"name":"Glacier"}"#, "")]),
      ("no root", "P18", [(#","root":"\#(sums[2])""#, "")]),
      ("no count", "P18", [(#""count":5,"#, "")]),
      ("a root that is too short", "P8", [(sums[2], String(sums[2].dropLast()))]),
      ("a root with other letters", "P8", [(sums[2], "g" + sums[2].dropFirst())]),
      ("a cursor without a chain", "P10", [(cursor, #""cursor":"2""#)]),
      ("a list name with a space", "P6", [(#""parks""#, #""my parks""#)]),
      ("more as a text", "P19", [(#""more":false"#, #""more":"false""#)]),
      ("an index as a text", "P22", [(#""from":2}"#, #""from":"2"}"#)]),
      ("a negative index", "P22", [(#""from":2}"#, #""from":-2}"#)]),
      ("half an index", "P22", [(#""from":2}"#, #""from":2.5}"#)]),
      ("cut off", "P22", [(#"}]}"#, "")]), ("text behind the end", "P22", [("}]}\n", "}]}\n{}")]),
      ("a member twice", "P1", [(#""more":false"#, #""more":false,"more":false"#)]),
      ("a member of a content twice", "P1", [(#""rating":5"#, #""rating":5,"rating":5"#)]),
      ("half a surrogate pair", "P1", [("Glacier", #"\ud83d"#)]),
      ("an index beyond the list", "P14", [(#""from":2}"#, #""from":5}"#)]),
      ("a place beyond the list", "P14", [(#""to":3,"#, #""to":5,"#)]),
      ("a move beyond the list", "P14", [(#""from":4,"to":0"#, #""from":4,"to":5"#)]),
      ("an index of the old list twice", "P14", [(#""from":4,"to":0"#, #""from":2,"to":0"#)]),
      ("an index of the new list twice", "P14", [(#""to":3,"#, #""to":0,"#)]),
      (
        "a removal twice", "P14",
        [
          (#"{"id":"acadia","from":2}"#, #"{"id":"acadia","from":2},{"id":"acadia","from":2}"#)
        ]
      ),
      (
        "removals in descending order", "P14",
        [
          (#"[{"id":"acadia","from":2}]"#, #"[{"id":"arches","from":3},{"id":"acadia","from":2}]"#),
          (
            #"[{"id":"glacier","#,
            #"[{"id":"arches","to":2,"content":{"name":"Arches"}},{"id":"glacier","#
          ),
        ]
      ),
      ("counts that do not add up", "P14", [(#"{"id":"acadia","from":2}"#, "")]),
      ("an update of another place", "P14", [(#""from":0,"to":1"#, #""from":0,"to":2"#)]),
      (
        "an update of an inserted item", "P14",
        [
          (#""id":"yosemite","from":0,"to":1"#, #""id":"glacier","from":2,"to":3"#)
        ]
      ),
      ("a removal of another item", "P14", [(#""acadia""#, #""denali""#)]),
      ("a move of another item", "P14", [(#""denali""#, #""arches""#)]),
      ("an update of another item", "P14", [(#""yosemite""#, #""zion""#)]),
      ("an insertion of an item that is there", "P14", [(#""glacier""#, #""zion""#)]),
      ("another start", "P23", [(sums[1], sums[3])]),
      (
        "another number of items at the start", "P23",
        [(#""version":1,"count":5"#, #""version":1,"count":6"#)]
      ),
      ("another content", "P23", [(#""rating":5"#, #""rating":6"#)]),
      (
        "another place", "P23",
        [
          (#""from":4,"to":0"#, #""from":4,"to":1"#), (#""from":0,"to":1"#, #""from":0,"to":0"#),
        ]
      ),
      ("another root", "P18", [(sums[2], sums[3])]),
      ("another cursor", "P18", [(cursor, #""cursor":"\#(history.states[3].knownCursor)""#)]),
      ("another version beside the cursor", "P18", [(#""version":2,"#, #""version":3,"#)]),
      ("a message instead of none", "P18", [(#""message":null"#, #""message":"""#)]),
      ("no author instead of one", "P18", [(#""author":"Ann""#, #""author":null"#)]),
      ("another time", "P18", [(#""committed_at":"2"#, #""committed_at":"1"#)]),
      ("no time", "P18", [(#""committed_at""#, #""committed""#)]),
      ("no chain before", "P18", [(#""previous":"#, #""before":"#)]),
      ("another chain before", "P18", [(chains[1], chains[2])]),
      (
        "an end without a header", "P18",
        [
          (#","previous":"\#(chains[1])""#, ""), (#","author":"Ann","message":null"#, ""),
          (#""committed_at":"\#(history.records[1].note.time)","#, ""),
        ]
      ),
      ("the root with its bytes reversed", "P8", [(sums[2], sums[2].bytesReversed)]),
    ]
    let snapshotEdits: [(String, String, [(String, String)])] = [
      ("whole list: another content", "P23", [(#""rating":5"#, #""rating":6"#)]),
      (
        "whole list: another order", "P23",
        [
          (#"{"id":"denali","content":{"name":"Denali"}},"#, ""),
          (#"]}"#, #",{"id":"denali","content":{"name":"Denali"}}]}"#),
        ]
      ),
      (
        "whole list: an item is missing", "P23",
        [
          (#",{"id":"arches","content":{"name":"Arches"}}"#, "")
        ]
      ),
      (
        "whole list: another count", "P23",
        [(#""count":5,"root":"\#(sums[2])""#, #""count":4,"root":"\#(sums[2])""#)]
      ),
      (
        "whole list: an item twice", "P6",
        [
          (#"]}"#, #",{"id":"arches","content":{"name":"Arches"}}]}"#),
          (#""count":5,"root":"\#(sums[2])""#, #""count":6,"root":"\#(sums[2])""#),
        ]
      ),
      ("whole list: another reason", "P20", [(#""first""#, #""second""#)]),
      ("whole list: no reason", "P20", [(#""reason":"first","#, "")]),
      ("whole list: no list", "P20", [(#""list":"parks","#, "")]),
      ("whole list: no oldest", "P20", [(#""oldest":1,"#, "")]),
      ("whole list: no content", "P20", [(#","content":{"name":"Arches"}"#, "")]),
      ("whole list: no items", "P20", [(#""items":["#, #""item":["#)]),
    ]
    let start = history.snapshots[1].items
    let documents =
      try edits.map { ($0, $1, start, try plain.edited($2)) }
      + snapshotEdits.map { ($0, $1, start, try whole.edited($2)) } + [
        ("an empty text", "P22", start, ""), ("an array", "P22", start, "[]"),
        ("a list without a document", "P22", start, "[\n]\n"),
      ] + refusedJSON(in: plain) + carelesslyRight()
    return VectorFile(
      name: "refusals",
      about: "A list and a document that must be refused. 'refused' says why the program refuses "
        + "it; others may find another reason first.",
      vectors: try documents.map { name, rule, items, document in
        guard case .refused(let reason) = DeltaOutcome(document, on: items) else {
          throw Unexpected(name: name)
        }
        return [
          "name": .text(name), "rules": [.text(rule)], "items": .items(items),
          "document": .text(document), "refused": .text(reason),
        ]
      })
  }

  /// Documents with the root of the list to which a careless program would come.
  private static func carelesslyRight() throws -> [(String, String, [Item], String)] {
    let old = try items(["a", "b", "c"])
    let (a, b, c) = (old[0], old[1], old[2])
    let other = try items(["a=1", "b=1", "x", "y", "z"])
    let (x, y, z) = (other[2], other[3], other[4])
    let cases: [(String, [Item], Draft)] = [
      (
        "removals in descending order", [b],
        Draft(removed: [.init(id: "c", from: 2), .init(id: "a", from: 0)])
      ),
      (
        "moves in descending order", [c, b, a],
        Draft(moved: [.init(id: "c", from: 2, to: 0), .init(id: "a", from: 0, to: 2)])
      ),
      (
        "insertions in descending order", [x, y, a, b, c],
        Draft(inserted: [.init(item: y, to: 1), .init(item: x, to: 0)])
      ),
      (
        "updates in descending order", [other[0], other[1], c],
        Draft(
          updated: [.init(item: other[1], from: 1, to: 1), .init(item: other[0], from: 0, to: 0)])
      ),
      (
        "an update of an item that is removed and inserted", [other[0], b, c],
        Draft(
          removed: [.init(id: "a", from: 0)], inserted: [.init(item: a, to: 0)],
          updated: [.init(item: other[0], from: 0, to: 0)])
      ),
      (
        "an update that comes to another place", [a, other[0], c],
        Draft(updated: [.init(item: other[0], from: 0, to: 1)])
      ),
      (
        "an update of an id that is not there", [z, b, c],
        Draft(updated: [.init(item: z, from: 0, to: 0)])
      ),
      ("a removal by the index alone", [b, c], Draft(removed: [.init(id: "b", from: 0)])),
      ("a move by the index alone", [b, c, a], Draft(moved: [.init(id: "b", from: 0, to: 2)])),
      (
        "an insertion of an id that is there", [a, b, c, a],
        Draft(inserted: [.init(item: a, to: 3)])
      ),
      (
        "an id inserted twice", [x, x, a, b, c],
        Draft(inserted: [.init(item: x, to: 0), .init(item: x, to: 1)])
      ),
    ]
    let twice = SnapshotDelta(
      list: History.list, from: nil, to: ListState(of: Snapshot(uniqueItems: [a, b, a])),
      oldest: .zero, snapshot: Snapshot(uniqueItems: [a, b, a]), reason: .diverged)
    return cases.map { name, new, draft in
      ("careless: \(name)", "P14", old, draft.document(from: old, to: new))
    } + [
      (
        "careless: an id twice in the whole list", "P6", old,
        String(decoding: twice.encoded(.line), as: UTF8.self)
      )
    ]
  }
}

extension String {
  /// Hex digits with the bytes in the other order.
  fileprivate var bytesReversed: String {
    let digits = Array(self)
    return stride(from: count - 2, through: 0, by: -2).map { String(digits[$0...$0 + 1]) }.joined()
  }
}
