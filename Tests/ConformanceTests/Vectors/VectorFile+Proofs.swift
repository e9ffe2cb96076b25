import ListDocuments
import ListModel
import Testing

extension VectorFile {
  /// Proofs of items, and histories that continue a cursor or do not.
  static func proofs() throws -> VectorFile {
    let history = try History.parks()
    let many = Snapshot(
      uniqueItems: try (0..<120).map { try items(["i\($0)"])[0] })
    let note = CommitNote(time: Timestamp(millisecondsSince1970: 1_790_000_000_250), author: "Ann")
    let state = ListState(
      VersionHeader(version: Version(1), note: note, root: Root(of: many), previous: .zero),
      count: many.items.count)
    func parks(_ index: Int, _ version: Int, until last: Int) -> ListProof {
      ListProof(
        History.list, itemAt: index, of: history.snapshots[version],
        states: Array(history.states[version...last]))
    }
    func ofMany(_ index: Int) -> ListProof {
      ListProof(History.list, itemAt: index, of: many, states: [state])
    }
    // With a group on both sides.
    let inside = try #require((0..<120).first { ofMany($0).text.contains(#"[{"count":"#) })
    let written = [
      ("one group", parks(3, 2, until: 2)), ("with later headers", parks(0, 1, until: 4)),
      ("the first of many items", ofMany(0)), ("the last of many items", ofMany(119)),
      ("an item with groups beside its own", ofMany(inside)),
    ]
    let (one, later, between) = (written[0].1.text, written[1].1.text, written[4].1.text)
    let gap = ListProof(
      History.list, itemAt: 0, of: history.snapshots[1],
      states: [history.states[1], history.states[3], history.states[4]]
    ).text
    let hashes = RootTree.hashes(of: many.items).map { Root($0).description }
    let side = between.contains("before") ? "before" : "after"
    let sides = #""position":3,"before":7,"after":null"#
    let roots = history.states.map(\.root.description)
    let cursors = history.states.map(\.knownCursor)
    func count(_ digits: String) -> [(String, String)] {
      [(#"5,"root":"\#(roots[3])""#, #"\#(digits),"root":"\#(roots[3])""#)]
    }
    let accepted =
      try written.map { ($0, $1.text) } + [
        ("a later count, which nothing proves", later.edited(count("9007199254740991"))),
        ("sides on level 1, where none are", one.edited([(#""position":3"#, sides)])),
      ]
    let edits: [(String, String, Cursor, [(String, String)])] = [
      ("another content", one, cursors[2], [(#""Glacier""#, #""glacier""#)]),
      ("another id", one, cursors[2], [(#""id":"glacier""#, #""id":"glacier2""#)]),
      ("another index", one, cursors[2], [(#""index":3"#, #""index":2"#)]),
      ("another position", one, cursors[2], [(#""position":3"#, #""position":2"#)]),
      ("a position behind the hashes", one, cursors[2], [(#""position":3"#, #""position":5"#)]),
      ("another root", one, cursors[2], [(roots[2], roots[3])]),
      ("the count of the version", one, cursors[2], [(#"null,"count":5"#, #"null,"count":6"#)]),
      ("the count of the group", one, cursors[2], [(#"{"count":5"#, #"{"count":6"#)]),
      ("no hashes", one, cursors[2], [(#""hashes":["#, #""hashes":[],"more":["#)]),
      ("another author", one, cursors[2], [(#""Ann""#, #""Eve""#)]),
      ("another format", one, cursors[2], [("list-proof/1", "list-proof/2")]),
      ("no path", one, cursors[2], [(#""path":["#, #""path":[],"more":["#)]),
      ("no headers", one, cursors[2], [(#""headers":["#, #""headers":[],"more":["#)]),
      ("the cursor of another history", one, try cursor("2-00000000"), []),
      ("the cursor of another version", one, cursors[3], []),
      ("the cursor of the first header", later, cursors[1], []),
      ("a header is missing", gap, cursors[4], []),
      ("a hash of an item", between, state.knownCursor, [(hashes[inside], hashes[inside + 1])]),
      ("a count beside the path", between, state.knownCursor, [(#"[{"count":"#, #"[{"count":1"#)]),
      (
        "groups on the other side", between, state.knownCursor,
        [(side, side == "before" ? "after" : "before")]
      ),
      ("neither side", between, state.knownCursor, [(side, "beside")]),
      (
        "one side, and null for the other", between, state.knownCursor,
        [(#""\#(side)":"#, #""\#(side == "before" ? "after" : "before")":null,"\#(side)":"#)]
      ),
      ("a later count of 2^53", later, cursors[4], count("9007199254740992")),
      ("a later count of 2^64", later, cursors[4], count("18446744073709551616")),
      ("a later count with a fraction", later, cursors[4], count("5.5")),
      ("more digits of a time", one, cursors[2], [(".250Z", ".2500Z")]),
      ("another zone of a time", one, cursors[2], [(".250Z", ".250+00:00")]),
      ("a small t in a time", one, cursors[2], [("22T14", "22t14")]),
      ("zeros behind a time", later, cursors[4], [("21T14:13:20Z", "21T14:13:20.000Z")]),
    ]
    return VectorFile(
      name: "proofs",
      about: "A proof of an item and the cursor of its last version; its item, index and count, or "
        + "refused. And a cursor with later headers in ascending order: whether they follow.",
      vectors: try accepted.map { name, text in
        let proof = try ListProof(Array(text.utf8))
        let last = (proof.laterStates.last ?? proof.state).knownCursor
        try proof.check(against: last)
        return [
          "name": .text(name), "rules": ["P46"], "proof": .text(text),
          "cursor": .text(last.description), "id": .text(proof.item.id.text),
          "index": .number(proof.index), "count": .number(proof.state.count),
        ]
      }
        + edits.map { name, text, cursor, edits in
          let edited = try edits.isEmpty ? text : text.edited(edits)
          do throws(ProofError) {
            try ListProof(Array(edited.utf8)).check(against: cursor)
          } catch {
            return [
              "name": .text(name), "rules": ["P46"], "proof": .text(edited),
              "cursor": .text(cursor.description), "refused": .text("\(error)"),
            ]
          }
          throw Unexpected(name: name)
        } + histories(history))
  }

  private static func histories(_ history: History) -> [VectorValue] {
    let (states, cursors) = (history.states, history.states.map(\.knownCursor))
    let note = CommitNote(time: Timestamp(millisecondsSince1970: 0), author: "Eve")
    let forged = ListState(
      VersionHeader(
        version: Version(3), note: note, root: states[3].root,
        previous: states[2].chain ?? .zero), count: states[3].count)
    let cases: [(String, Cursor, [ListState])] = [
      ("the next version", cursors[1], [states[2]]),
      ("three versions", cursors[1], Array(states[2...4])),
      ("from version 0", cursors[0], Array(states[1...3])),
      ("a version is missing", cursors[1], [states[2], states[4]]),
      ("the first one is missing", cursors[1], Array(states[3...4])),
      ("another cursor", Cursor(version: Version(1), chain: states[2].chain ?? .zero), [states[2]]),
      ("a rewritten version", cursors[1], [states[2], forged, states[4]]),
      ("descending", cursors[1], [states[3], states[2]]),
    ]
    return cases.map { name, cursor, states in
      let headers = states.compactMap(\.header)
      return [
        "name": .text(name), "rules": ["P45"], "cursor": .text(cursor.description),
        "headers": .texts(states.map(\.document)), "follows": .flag(headers.follow(cursor)),
      ]
    }
  }

  private static func cursor(_ text: String) throws -> Cursor {
    guard let cursor = Cursor(given: text) else { throw Unexpected(name: text) }
    return cursor
  }
}

extension ListProof {
  fileprivate var text: String { String(decoding: encoded(), as: UTF8.self) }
}
