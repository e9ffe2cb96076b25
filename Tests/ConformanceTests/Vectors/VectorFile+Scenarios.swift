import ListDocuments
import ListModel

extension VectorFile {
  /// The scripts of `Tests/Conformance/run_client.py`.
  static func scenarios() throws -> VectorFile {
    let script = ScenarioScript(history: try .parks(), other: try .other())
    return VectorFile(
      name: "scenarios",
      about: "Scripts for run_client.py. Each run starts the client anew with the same copy; "
        + "'answers' are given in order, each to a request with this 'since'.",
      vectors: try script.scenarios() + script.signedScenarios())
  }
}

extension History {
  /// Another history of the same list.
  static func other() throws -> History {
    var history = History()
    for (index, list) in [["zion", "arches"], ["arches", "zion", "glacier=1"]].enumerated() {
      try history.commit(
        list.map(park),
        CommitNote(time: Timestamp(millisecondsSince1970: 1_800_000_000_000 + Int64(index))))
    }
    return history
  }
}

extension VectorValue {
  /// Where a run ends: a state with the ids of its items; null for an error.
  static func final(_ end: ListState?, of history: History) -> VectorValue {
    guard let end, case .members(let state) = VectorValue.state(end) else { return .null }
    let ids = history.snapshots[end.version.number].items.map(\.id.text)
    return .members(state + [("ids", .texts(ids))])
  }
}

/// Writes scenarios: what the server answers, and where the client must end.
struct ScenarioScript {
  let history: History
  let other: History

  typealias Members = [(name: String, value: VectorValue)]

  func scenarios() throws -> [VectorValue] {
    let doc = history.document(1, 3)
    let spoiled = try doc.edited([(#""rating":5"#, #""rating":6"#)])
    let zion = history.document(3, 4)
    var forged = History()
    let author = CommitNote(time: Timestamp(millisecondsSince1970: 0), author: "Eve")
    for version in 1...2 { try forged.commit(history.snapshots[version].items, author) }
    let rewritten = try forged.document(1, 2).edited([
      (forged.states[1].knownCursor.description, history.states[1].knownCursor.description)
    ])
    func old(_ status: Int, _ kind: ProblemKind) -> VectorValue {
      problem(since: history.states[1], status, kind)
    }
    return [
      scenario("first list", ["P39"], [run([whole(4, .first)], end: 4)]),
      scenario(
        "first list by changes", ["P39"], [run([answer(0, history.document(0, 4))], end: 4)]),
      scenario("an empty list", ["P39"], [run([whole(5, .first)], end: 5)]),
      scenario("nothing new", ["P30", "P39"], [first(2), run([unchanged(2)], end: 2)]),
      scenario(
        "nothing new, as a document", ["P39"],
        [first(2), run([answer(2, history.document(2, 2))], end: 2)]),
      scenario("changes", ["P23"], [first(1), run([answer(1, doc)], end: 3)]),
      scenario(
        "pages", ["P24"],
        [
          first(1),
          run(
            [
              answer(1, history.document(1, 2, more: true)),
              answer(2, history.document(2, 5, more: true)), answer(5, history.document(5, 7)),
            ], end: 7),
        ]),
      scenario(
        "a restart between pages", ["P24", "P43"],
        [
          first(1),
          run(
            [answer(1, history.document(1, 2, more: true)), refusal(2, 403, .forbidden)], end: nil),
          run([answer(2, history.document(2, 7))], end: 7),
        ]),
      scenario(
        "every version, a run for each", ["P43"],
        [first(1)] + (1..<4).map { run([answer($0, history.document($0, $0 + 1))], end: $0 + 1) }),
      scenario(
        "too old, with the whole list", ["P41"],
        [first(1), run([whole(7, .tooOld, since: 1)], end: 7)]),
      scenario(
        "diverged, with an older list", ["P41"],
        [
          first(7),
          run(
            [answer(since: history.states[7], other.whole(2, .diverged))], end: other.states[2],
            of: other),
        ]),
      scenario(
        "smaller", ["P20"], [first(1), run([whole(7, .smaller, since: 1, named: true)], end: 7)]),
      scenario(
        "410 too-old", ["P33", "P41"],
        [first(1), run([old(410, .tooOld), whole(7, .first)], end: 7)]),
      scenario(
        "409 diverged", ["P33", "P41"],
        [first(1), run([old(409, .diverged), whole(7, .first)], end: 7)]),
      scenario(
        "404 no-such-version", ["P33", "P41"],
        [
          first(3),
          run([problem(since: history.states[3], 404, .noSuchVersion), whole(2, .first)], end: 2),
        ]),
      scenario(
        "a spoiled body", ["P23", "P41"],
        [first(1), run([answer(1, spoiled), whole(3, .first)], end: 3)]),
      scenario(
        "a body of another list", ["P23", "P41"],
        [
          first(1),
          run([answer(1, try doc.edited([(#""parks""#, #""films""#)])), whole(3, .first)], end: 3),
        ]),
      scenario(
        "spoiled twice", ["P41"],
        [
          first(1),
          run(
            [
              answer(1, spoiled),
              answer(
                0,
                try history.whole(3, .first, from: 0).edited([
                  (#""rating":5"#, #""rating":6"#)
                ])),
            ], end: nil),
          run([answer(1, doc)], end: 3),
        ]),
      scenario(
        "versions that do not rise", ["P23", "P41"],
        [first(2), run([answer(2, history.document(2, 1)), whole(3, .first)], end: 3)]),
      scenario(
        "an old answer of a cache", ["P40"],
        [first(3), run([answer(3, history.document(1, 2)), answer(3, zion)], end: 4)]),
      scenario(
        "a body that is cut off", ["P32", "P42"],
        [first(1), run([answer(1, doc, ("cut", 100)), answer(1, doc)], end: 3)]),
      scenario(
        "a lost connection", ["P42"],
        [first(1), run([answer(1, "", ("close", true)), answer(1, doc)], end: 3)]),
      scenario(
        "the page of a network", ["P32", "P42"],
        [
          first(1),
          run([answer(1, "<h1>Log in</h1>", ("type", "text/html")), answer(1, doc)], end: 3),
        ]),
      scenario(
        "503 with Retry-After", ["P33", "P42"],
        [
          first(1),
          run(
            [
              problem(since: history.states[1], 503, .busy, ("headers", ["Retry-After": "1"])),
              answer(1, doc, ("not_before_seconds", 1)),
            ], end: 3),
        ]),
      scenario(
        "failures in a row", ["P42"],
        [
          first(1),
          run(
            [
              problem(since: history.states[1], 500, .internal),
              problem(
                since: history.states[1], 502, .internal, ("not_before_seconds", .seconds(0.2))),
              answer(1, doc, ("not_before_seconds", .seconds(0.4))),
            ], end: 3),
        ]),
      scenario(
        "a redirection", ["P33", "P38"],
        [
          first(1),
          run([answer(1, "", ("status", 307), ("headers", ["Location": "/elsewhere"]))], end: nil),
          run([answer(1, doc)], end: 3),
        ]),
      scenario(
        "a list that is gone", ["P33"],
        [first(1), run([refusal(1, 410, .gone)], end: nil), run([answer(1, doc)], end: 3)]),
      scenario(
        "a rewritten history", ["P44"],
        [first(1), run([answer(1, rewritten)], end: nil), run([answer(1, doc)], end: 3)]),
      scenario(
        "no such list", ["P33"], [run([refusal(0, 404, .notFound)], end: nil), first(1)]),
      scenario(
        "a token is needed", ["P33", "P38"],
        [run([refusal(0, 401, .unauthenticated)], end: nil), first(1)]),
      scenario(
        "watching", ["P39"],
        [
          first(1),
          run(
            [
              unchanged(1), unchanged(1, ("wait", true), ("hold_seconds", .seconds(0.2))),
              answer(1, history.document(1, 2), ("wait", true)),
              answer(2, history.document(2, 4), ("wait", true), ("hold_seconds", .seconds(0.2))),
            ], end: 4, until: 4),
        ]),
      scenario(
        "watching through a restart of the server", ["P39", "P42"],
        [
          first(1),
          run(
            [
              unchanged(1), answer(1, "", ("close", true), ("wait", true)),
              answer(1, "", ("close", true)), answer(1, doc),
            ], end: 3, until: 3),
        ]),
    ]
  }

  func scenario(_ name: String, _ rules: [String], _ runs: [VectorValue]) -> VectorValue {
    ["name": .text(name), "rules": .texts(rules), "runs": .list(runs)]
  }

  /// A run that ends at a version of the history, or with an error.
  private func run(_ answers: [VectorValue], end: Int?, until: Int? = nil) -> VectorValue {
    run(answers, end: end.map { history.states[$0] }, of: history, until: until)
  }

  /// - Parameters:
  ///   - key: the key that the client is given.
  ///   - refusal: the word of the error (P53).
  func run(
    _ answers: [VectorValue], end: ListState?, of history: History, until: Int? = nil,
    key: String? = nil, refusal: String? = nil
  ) -> VectorValue {
    var members: Members = [("answers", .list(answers))]
    if let key { members.append(("key", .text(key))) }
    if let refusal { members.append(("refusal", .text(refusal))) }
    if let until { members.append(("until", .number(until))) }
    members.append(("final", .final(end, of: history)))
    return .members(members)
  }

  /// The run in which a client without a copy gets the whole list.
  private func first(_ version: Int) -> VectorValue {
    run([whole(version, .first)], end: version)
  }

  private func whole(
    _ version: Int, _ reason: WholeListReason, since: Int = 0, named: Bool = false
  ) -> VectorValue {
    let from = since == 0 || named ? since : nil
    return answer(since, history.whole(version, reason, from: from))
  }

  func unchanged(_ version: Int, _ more: (String, VectorValue)...) -> VectorValue {
    let cursor = history.states[version].knownCursor
    return members(
      history.states[version],
      [("status", 304), ("headers", ["ETag": .text("\"\(cursor)\"")])] + more)
  }

  private func refusal(_ version: Int, _ status: Int, _ kind: ProblemKind) -> VectorValue {
    problem(since: history.states[version], status, kind)
  }

  func problem(
    since: ListState, _ status: Int, _ kind: ProblemKind, _ more: (String, VectorValue)...
  ) -> VectorValue {
    let body = JSONWriter.object { $0.members(of: kind) }
    return members(
      since,
      [
        ("status", .number(status)), ("type", "application/problem+json"),
        ("body", .text(String(decoding: body, as: UTF8.self))),
      ] + more)
  }

  func answer(
    _ version: Int, _ body: String, _ more: (String, VectorValue)...
  ) -> VectorValue {
    members(history.states[version], [("body", .text(body))] + more)
  }

  func answer(since: ListState, _ body: String) -> VectorValue {
    members(since, [("body", .text(body))])
  }

  private func members(_ since: ListState, _ rest: [(String, VectorValue)]) -> VectorValue {
    .members([("since", .text(since.knownCursor.description))] + rest.map { (name: $0, value: $1) })
  }
}
