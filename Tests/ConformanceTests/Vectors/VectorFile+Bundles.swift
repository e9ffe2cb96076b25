import Hashing
import ListChanges
import ListDocuments
import ListModel

extension VectorFile {
  static func bundles() throws -> VectorFile {
    let history = try History.parks()
    let full = try history.bundle(.zero, from: 0, to: 7)
    let (short, two) = (
      try history.bundle(.zero, from: 0, to: 4), try history.bundle(.zero, from: 0, to: 2)
    )
    let incremental = try history.bundle(.prerequisite(history.states[2]), from: 2, to: 5)
    let based = try history.bundle(.base(history.records[2]), from: 3, to: 6)
    let accepted: [(String, [String], Int, String)] = [
      ("full", ["P25", "P26", "P27", "P28"], 0, full),
      ("incremental", ["P25", "P26", "P27"], 2, incremental),
      ("from a base", ["P25", "P26", "P27", "P28"], 0, based),
      (
        "a base alone", ["P25", "P28"], 0,
        try history.bundle(.base(history.records[3]), from: 4, to: 4)
      ),
      ("without steps", ["P25"], 0, try history.bundle(.zero, from: 0, to: 0)),
      (
        "from an empty base", ["P25", "P28"], 0,
        try history.bundle(.base(history.records[4]), from: 5, to: 6)
      ),
      (
        "unknown members", ["P25"], 0,
        try sealed(two.edited([(#""id_rule":null"#, #""id_rule":["id"],"new":1"#)]))
      ),
    ]
    let sums = history.states.map(\.root.description)
    let cursors = history.states.map(\.knownCursor.description)
    let chains = history.records.map(\.header.previous.hex)
    let target = String(two.prefix { $0 != "\n" })
    let edits: [(String, String, String, [(String, String)])] = [
      ("another content", "P26", two, [(#""rating":5"#, #""rating":6"#)]),
      ("another author", "P26", two, [(#""Ann""#, #""Eve""#)]),
      ("another time", "P12", two, [("2026-09-22", "2026-09-21")]),
      ("no author instead of an empty one", "P11", short, [(#""author":"""#, #""author":null"#)]),
      ("a cursor of a step", "P26", short, [(cursors[3], cursors[2])]),
      ("another root of the target", "P26", incremental, [(sums[5], sums[4])]),
      ("another chain before the prerequisite", "P26", incremental, [(chains[1], chains[2])]),
      ("another cursor of the prerequisite", "P26", incremental, [(cursors[2], cursors[1])]),
      ("another chain before the base", "P26", based, [(chains[2], chains[1])]),
      ("an item of the base", "P28", based, [("567890.1", "567890.2")]),
      ("another count", "P25", based, [(#""count":5"#, #""count":4"#)]),
      ("no time", "P25", two, [(#""committed_at""#, #""committed""#)]),
      (
        "another target alone", "P26", two,
        [(target, target.replacing(#""count":5"#, with: #""count":4"#))]
      ),
      (
        "a step from another root", "P26", two,
        [
          (
            #""version":1,"count":5,"root":"\#(sums[1])""#,
            #""version":1,"count":5,"root":"\#(sums[2])""#
          )
        ]
      ),
      (
        "a step from another cursor", "P26", two,
        [(#""from":{"cursor":"\#(cursors[1])""#, #""from":{"cursor":"\#(cursors[2])""#)]
      ),
      ("a step of another kind", "P25", two, [(#""kind":"changes""#, #""kind":"snapshot""#)]),
      ("another format", "P25", two, [("list-bundle/1", "list-bundle/2")]),
      (
        "an incremental bundle that calls itself full", "P25", incremental,
        [
          (#""kind":"incremental""#, #""kind":"full""#)
        ]
      ),
    ]
    var lines = short.split(separator: "\n").map(String.init)
    let last = lines.removeLast()
    let cut: [(String, String, String)] = [
      ("the last line is missing", "P27", lines.joined(separator: "\n") + "\n"),
      ("the last line has no end", "P27", String(two.dropLast())),
      ("bytes behind the last line", "P27", two + "\n"),
      (
        "a line is missing", "P26",
        try sealed((lines[...2] + lines[4...]).joined(separator: "\n") + "\n\(last)\n")
      ),
      (
        "two lines in another order", "P26",
        try sealed(
          ([lines[0], lines[2], lines[1]] + lines[3...]).joined(separator: "\n") + "\n\(last)\n")
      ),
      ("the digest of other bytes", "P27", try two.edited([(#""sha256":""#, #""sha256":"0"#)])),
      (
        "the last line with white space", "P27",
        try two.edited([(#"{"lines":3,"#, #"{"lines":3, "#)])
      ),
      ("another number of lines", "P27", try two.edited([(#"{"lines":3,"#, #"{"lines":2,"#)])),
      (
        "bytes changed, members equal", "P27",
        try two.edited([(target, target.replacing(#","kind""#, with: #", "kind""#))])
      ),
      ("an empty text", "P25", ""), ("only a header", "P26", lines[0] + "\n"),
    ]
    let refused =
      try edits.map { name, rule, text, edits in
        (name, rule, text, try sealed(text.edited(edits)))
      } + cut.map { ($0, $1, full, $2) } + forged(history)
      + disconnected(history, two)
    return VectorFile(
      name: "bundles",
      about: "A bundle, the list at its prerequisite, its versions and the list after them; or "
        + "refused with the line at which the program finds it.",
      vectors: try accepted.map { name, rules, version, bundle in
        let items = history.snapshots[version].items
        guard case .accepted(let header, let states, let list) = BundleOutcome(bundle, on: items)
        else { throw Unexpected(name: name) }
        return [
          "name": .text(name), "rules": .texts(rules), "items": .items(items),
          "bundle": .text(bundle), "list": .text(header.list.text),
          "versions": .list(states.map { .state($0) }),
          "target": .state(header.target), "result": .items(list.items),
        ]
      }
        + refused.map { name, rule, text, bundle in
          let items = history.snapshots[text == incremental ? 2 : 0].items
          guard case .refused(let line, let reason) = BundleOutcome(bundle, on: items) else {
            throw Unexpected(name: name)
          }
          return [
            "name": .text(name), "rules": [.text(rule)], "items": .items(items),
            "bundle": .text(bundle), "refused": .text(reason),
            "line": line.map { .number($0) } ?? .null,
          ]
        })
  }

  /// Bundles whose last version is sound by itself, and does not continue the one before.
  private static func disconnected(
    _ history: History, _ two: String
  ) throws -> [(String, String, String, String)] {
    let (first, last) = (history.records[0], history.states[2])
    func end(_ version: Int, _ root: Root, after previous: Chain) -> ListState {
      let note = CommitNote(time: Timestamp(millisecondsSince1970: 1))
      return ListState(
        VersionHeader(version: Version(version), note: note, root: root, previous: previous),
        count: 5)
    }
    let same = end(2, first.root, after: first.chain)
    let nothing = try DeltaDocument(
      list: History.list, from: first.state, to: same, oldest: nil,
      changes: BareChanges(ChangeSet(oldCount: 5, newCount: 5)))
    let step = two.split(separator: "\n")[2] + "\n"
    let cases = [
      ("a step over a version", [(last.document, end(3, last.root, after: first.chain).document)]),
      ("a step after another history", [(last.document, end(2, last.root, after: .zero).document)]),
      (
        "a step without a change",
        [
          (String(step), String(decoding: nothing.encoded(.line), as: UTF8.self)),
          (last.document, same.document),
        ]
      ),
    ]
    return try cases.map { ($0, "P26", two, try sealed(two.edited($1))) }
  }

  /// Bundles whose chains and last lines are right, and whose steps are not.
  private static func forged(
    _ history: History
  ) throws -> [(String, String, String, String)] {
    let old = try items(["a", "b"])
    func bundle(_ changes: ChangeSet<Item>, root: Root) throws -> String {
      var forged = History()
      try forged.commit(old, CommitNote(time: Timestamp(millisecondsSince1970: 0)))
      let note = CommitNote(time: Timestamp(millisecondsSince1970: 1))
      let record = VersionRecord(
        version: Version(2), note: note, count: changes.newCount, changes: ChangeCounts(changes),
        root: root,
        previous: forged.states[1].chain ?? .zero)
      var writer = try BundleWriter(
        BundleHeader(
          list: History.list, idRule: nil, start: .zero, target: record.state))
      try writer.append(.step(DeltaDocument(forged.delta(0, 1))))
      try writer.append(
        .step(
          DeltaDocument(
            list: History.list, from: forged.states[1], to: record.state, oldest: nil,
            changes: BareChanges(changes))))
      _ = try writer.finish()
      return String(decoding: writer.takeBytes(), as: UTF8.self)
    }
    let swapped = Root(of: Snapshot(uniqueItems: [old[1], old[0]]))
    return [
      (
        "a step with another root", "P28", "",
        try bundle(
          ChangeSet(oldCount: 2, newCount: 1, removed: [.init(from: 0, element: old[0])]),
          root: swapped)
      ),
      (
        "a step with other moves", "P28", "",
        try bundle(
          ChangeSet(oldCount: 2, newCount: 2, moved: [.init(from: 1, to: 0, id: "b")]),
          root: swapped)
      ),
      (
        "an update without a change", "P28", "",
        try bundle(
          ChangeSet(
            oldCount: 2, newCount: 2, updated: [.init(from: 0, to: 0, old: old[0], new: old[0])]),
          root: Root(of: Snapshot(uniqueItems: old)))
      ),
      (
        "a removal of another item", "P28", "",
        try bundle(
          ChangeSet(
            oldCount: 2, newCount: 1,
            removed: [.init(from: 0, element: Item(id: "z", content: old[0].content))]),
          root: Root(of: Snapshot(uniqueItems: [old[1]])))
      ),
      (
        "an insertion of an item that is there", "P28", "",
        try bundle(
          ChangeSet(oldCount: 2, newCount: 3, inserted: [.init(to: 2, element: old[0])]),
          root: swapped)
      ),
    ]
  }

  /// A bundle with another last line, which fits the lines before.
  private static func sealed(_ bundle: String) throws -> String {
    let lines = bundle.split(separator: "\n").dropLast()
    let body = lines.map { $0 + "\n" }.joined()
    let digest = SHA256.digest(of: Array(body.utf8)).bytes.map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
    return body + #"{"lines":\#(lines.count),"sha256":"\#(digest)"}"# + "\n"
  }
}
