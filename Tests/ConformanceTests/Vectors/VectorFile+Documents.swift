import ListChanges
import ListDocuments
import ListModel

extension VectorFile {
  struct Unexpected: Error { let name: String }

  static func deltas() throws -> VectorFile {
    let history = try History.parks()
    var vectors: [VectorValue] = []
    func add(_ name: String, _ rules: [String], _ version: Int, _ document: String) throws {
      vectors.append(try accepted(name, rules, history.snapshots[version].items, document))
    }
    for (from, to) in [(0, 1), (1, 2), (2, 3), (1, 4), (4, 5), (5, 6), (1, 6), (6, 7), (7, 1)] {
      try add(
        "changes from \(from) to \(to)", ["P18", "P19", "P23"], from, history.document(from, to))
    }
    try add("changes from 3 to 3", ["P19"], 3, history.document(3, 3))
    try add("a page", ["P19", "P24"], 1, history.document(1, 2, more: true))
    for (index, reason) in WholeListReason.allCases.enumerated() {
      try add(
        "the whole list, \(reason.rawValue)", ["P18", "P20", "P23"], index,
        history.whole(7, reason, from: [0, nil, nil, 3][index]))
    }
    try add("the whole list, which is empty", ["P20"], 2, history.whole(5, .diverged))

    let plain = history.document(1, 2)
    let spellings: [(String, String, [(String, String)])] = [
      (
        "unknown members", "P22",
        [
          (#""more":false"#, #""more":false,"new":{"a":[1]}"#),
          (#""from":2}"#, #""from":2,"why":""}"#),
        ]
      ),
      ("white space and line ends", "P22", [("[", "[\r\n "), (",", "\n,\t"), (#"":"#, #"" : "#)]),
      ("without more", "P19", [(#""more":false,"#, "")]),
      ("with oldest", "P19", [(#""more":false"#, #""oldest":1,"more":false"#)]),
      (
        "whole numbers in other spellings", "P22",
        [
          (#""from":4,"to":0"#, #""from":4.0,"to":-0"#), (#""from":2}"#, #""from":0.2e1}"#),
        ]
      ),
      ("contents in other spellings", "P4", [(#""rating":5"#, #""r\u0061ting":0.50e1"#)]),
      (
        "a content with members in another order", "P2",
        [
          (#"{"name":"Yosemite","rating":5}"#, #"{"rating":5,"name":"Yosemite"}"#)
        ]
      ),
      (
        "roots in capital letters", "P8",
        [
          (
            history.states[2].root.description,
            history.states[2].root.description.uppercased()
          )
        ]
      ),
      (
        "without cursors and versions", "P18",
        [
          (#""cursor":"\#(history.states[1].knownCursor)","version":1,"#, ""),
          (#""cursor":"\#(history.states[2].knownCursor)","version":2,"#, ""),
          (#""list":"parks","#, ""),
        ]
      ),
    ]
    for (name, rule, edits) in spellings { try add(name, [rule], 1, plain.edited(edits)) }
    try add("byte order mark", ["P22"], 1, "\u{FEFF}" + plain)
    try add(
      "a line for each change", ["P22"], 1,
      String(
        decoding: DeltaDocument(history.delta(1, 2)).encoded(.lines), as: UTF8.self))
    try vectors.append(contentsOf: notCanonical())
    return VectorFile(
      name: "deltas",
      about: "A list, a document, and the list and state that it leads to. A document of kind "
        + "snapshot replaces the list.",
      vectors: vectors)
  }

  private static func accepted(
    _ name: String, _ rules: [String], _ items: [Item], _ document: String
  ) throws -> VectorValue {
    guard case .accepted(let answer, let result) = DeltaOutcome(document, on: items) else {
      throw Unexpected(name: name)
    }
    return [
      "name": .text(name), "rules": .texts(rules), "items": .items(items),
      "document": .text(document), "kind": .text(answer.kind), "reason": .optional(answer.reason),
      "more": .flag(answer.more), "to": .state(answer.to), "result": .items(result.items),
    ]
  }

  /// Documents whose changes are valid and not the canonical ones.
  private static func notCanonical() throws -> [VectorValue] {
    let old = try items(["a", "b"])
    let cases: [(String, [Item], Draft)] = [
      (
        "the other of two equal moves", [old[1], old[0]],
        Draft(moved: [.init(id: "b", from: 1, to: 0)])
      ),
      (
        "more moves than needed", [old[1], old[0]],
        Draft(moved: [.init(id: "a", from: 0, to: 1), .init(id: "b", from: 1, to: 0)])
      ),
      ("a move to its own place", old, Draft(moved: [.init(id: "a", from: 0, to: 0)])),
      (
        "an item removed and inserted", [old[1], old[0]],
        Draft(removed: [.init(id: "a", from: 0)], inserted: [.init(item: old[0], to: 1)])
      ),
      ("an update without a change", old, Draft(updated: [.init(item: old[1], from: 1, to: 1)])),
    ]
    return try cases.map { name, new, draft in
      try accepted(name, ["P16", "P23"], old, draft.document(from: old, to: new))
    }
  }

  static func merges() throws -> VectorFile {
    let pairs = [
      (#"{"a":1,"b":2}"#, #"{"a":1,"b":3}"#), (#"{"a":1}"#, #"{}"#), (#"{}"#, #"{"a":{"b":1}}"#),
      (#"{"a":{"b":1,"c":2},"d":[1,2]}"#, #"{"a":{"b":1,"c":3},"d":[2]}"#),
      (#"{"a":{"b":{"c":1}}}"#, #"{"a":{"b":{}}}"#), (#"{"a":[1]}"#, #"{"a":{"b":1}}"#),
      (#"{"a":{"b":1}}"#, #"{"a":"x"}"#), (#"{"é":1,"z":1}"#, #"{"é":2,"z":1}"#),
    ]
    let patches = try pairs.map { old, new -> VectorValue in
      let (old, new) = (try Content(json: old), try Content(json: new))
      guard let patch = old.mergePatch(to: new), old.merging(patch) == new else {
        throw Unexpected(name: "\(old) to \(new)")
      }
      return [
        "name": .text("patch of \(old) to \(new)"), "rules": ["P21"], "old": .text("\(old)"),
        "patch": .text("\(patch)"), "new": .text("\(new)"),
      ]
    }
    let texts = [("{}", "7"), ("{}", "null"), ("[1]", #"{"a":{"b":null}}"#), ("7", #"{"a":1}"#)]
    let others = try texts.map { old, patch -> VectorValue in
      let new = try Content(json: old).merging(Content(json: patch))
      return [
        "name": .text("patch \(patch) on \(old)"), "rules": ["P21"], "old": .text(old),
        "patch": .text(patch), "new": .text("\(new)"),
      ]
    }
    let history = try History.parks()
    let documents = [(1, 2), (2, 3), (4, 1)].map { from, to -> VectorValue in
      let document = MergeDocument(history.delta(from, to)).encoded()
      return [
        "name": .text("merge document from \(from) to \(to)"), "rules": ["P21"],
        "items": .items(history.snapshots[from].items),
        "document": .text(String(decoding: document, as: UTF8.self)),
        "result": .items(history.snapshots[to].items),
      ]
    }
    return VectorFile(
      name: "merges",
      about: "A content, a merge patch and the new content; and merge documents, which a client "
        + "gets only if it asks for them.",
      vectors: patches + others + documents)
  }
}

/// Changes between two lists that nobody has checked.
struct Draft {
  var removed: [BareChanges.Removal] = []
  var moved: [BareChanges.Move] = []
  var inserted: [BareChanges.Insertion] = []
  var updated: [BareChanges.Update] = []

  func document(from old: [Item], to new: [Item]) -> String {
    let changes = BareChanges(
      oldCount: old.count, newCount: new.count, removed: removed, moved: moved, inserted: inserted,
      updated: updated)
    let document = DeltaDocument(
      list: History.list, from: ListState(of: Snapshot(uniqueItems: old)),
      to: ListState(of: Snapshot(uniqueItems: new)), oldest: nil, changes: changes)
    return String(decoding: document.encoded(.line), as: UTF8.self)
  }
}

extension String {
  struct NotFound: Error { let text: String }

  /// Replaces every occurrence of some texts, each of which must be there.
  func edited(_ edits: [(String, String)]) throws -> String {
    try edits.reduce(self) { text, edit in
      guard text.contains(edit.0) else { throw NotFound(text: edit.0) }
      return text.replacing(edit.0, with: edit.1)
    }
  }
}
