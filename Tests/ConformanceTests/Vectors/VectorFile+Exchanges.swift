import ListDocuments
import ListModel

extension VectorFile {
  /// The scripts of `Tests/Conformance/run_server.py`.
  static func exchanges() throws -> VectorFile {
    VectorFile(
      name: "exchanges",
      about:
        "Requests for run_server.py, in order, and what a server answers. {list} is a new list. "
        + "{one}, {two}, … are cursors: any when an answer first has one, and then the same one.",
      vectors: [
        try commits, lostAnswers, mergedCommits, try patches, try queries, immutableAnswers, events,
        changes,
      ])
  }

  private static let list = "/v1/lists/{list}"
  private static let first = #"[{"id":"zion"},{"id":"arches"}]"#
  private static let second = #"[{"id":"arches"},{"id":"zion","rating":5},{"id":"denali"}]"#
  private static let third = #"[{"id":"denali"}]"#

  /// Makes version 1, the items of `first`.
  private static var begin: VectorValue {
    exchange(
      "PUT", list, ["If-None-Match": "*"], first, status: 201, contains: ["ETag": [#""{one}"#]])
  }
  /// Makes version 2, the items of `second`.
  private static var goOn: VectorValue {
    exchange(
      "PUT", list, ["If-Match": #""{one}""#], second, status: 201, contains: ["ETag": [#""{two}"#]])
  }

  private static var commits: VectorValue {
    get throws {
      vector(
        "a commit names the version that it replaces", ["P35"],
        [
          exchange(
            "PUT", list, ["If-None-Match": "*"], first, status: 201,
            contains: [
              "ETag": [#""{one}"#], "Cache-Control": ["no-store"], "Location": ["{one}"],
            ],
            answer: [
              "list": "{list}", "outcome": "committed", "head": try state("{one}", 1, first),
            ]),
          exchange(
            "PUT", list, ["If-None-Match": "*"], second, status: 412,
            contains: ["Cache-Control": ["no-store"]],
            answer: problem(.preconditionFailed, ["head": "{one}"])),
          exchange("PUT", list, [:], second, status: 428, answer: problem(.preconditionRequired)),
          goOn,
          exchange(
            "PUT", list, ["If-Match": #""{one}""#], third, status: 412,
            answer: problem(.preconditionFailed, ["head": "{two}"])),
          exchange("PUT", list, ["If-Match": #"W/"{two}""#], third, status: 412),
          exchange(
            "PUT", list, ["If-Match": "*"], second, status: 200,
            answer: ["outcome": "unchanged", "head": try state("{two}", 2, second)]),
          exchange(
            "PUT", list, ["If-Match": #""{two}""#], #"[{"id":"zion"},{"id":"zion"}]"#, status: 422),
          exchange(
            "PUT", list, ["If-Match": "*"], third, status: 201, contains: ["ETag": [#""{three}"#]]),
        ])
    }
  }

  private static var lostAnswers: VectorValue {
    func again(
      _ condition: VectorValue, _ body: String, _ outcome: String, _ cursor: String,
      author: String = ""
    ) -> VectorValue {
      exchange(
        "PUT", list + author, condition, body, status: 200,
        contains: ["ETag": [.text("\"\(cursor)")]],
        answer: ["outcome": .text(outcome), "head": ["cursor": .text(cursor)]])
    }
    return vector(
      "a commit whose answer was lost is not made twice", ["P36"],
      [
        begin, goOn,
        again(["If-Match": #""{one}""#], second, "repeated", "{two}"),
        exchange(
          "PUT", list, ["If-Match": #""{two}""#], third, status: 201,
          contains: ["ETag": [#""{three}"#]]),
        // Somebody else has committed since.
        again(["If-Match": #""{one}""#], second, "repeated", "{two}"),
        again(["If-None-Match": "*"], first, "repeated", "{one}"),
        // Another author made the same change.
        again(
          ["If-Match": #""{one}""#], second, "unchanged", "{two}", author: "?author=Ben"),
        exchange("PUT", list, ["If-Match": #""{one}""#], third, status: 412),
      ])
  }

  private static var mergedCommits: VectorValue {
    let mine = #"[{"id":"arches","open":true},{"id":"zion"}]"#
    func put(
      _ query: String, _ body: String, status: Int, _ answer: VectorValue
    ) -> VectorValue {
      exchange("PUT", list + query, [:], body, status: status, answer: answer)
    }
    let merge: VectorValue = [
      "base": "{one}", "into": "{two}", "preferred": .null, "conflict_count": 0,
      "mine": ["ids": ["arches", "zion"]], "theirs": ["ids": ["zion", "denali"]],
    ]
    return vector(
      "a commit on an older version is merged once, or its conflicts are a problem", ["P55"],
      [
        begin, goOn,
        put(
          "?base={one}", mine, status: 201,
          ["outcome": "merged", "head": ["cursor": "{three}", "count": 3], "merge": merge]),
        put(
          "?base={one}", mine, status: 200,
          ["outcome": "repeated", "head": ["cursor": "{three}"]]),
        put(
          "?base={one}", #"[{"id":"zion","rating":4},{"id":"arches"}]"#, status: 409,
          problem(
            .conflicts,
            [
              "head": "{three}", "base": "{one}", "conflict_count": 1,
              "conflicts": [
                ["id": "zion", "kind": "changed", "path": "/rating", "mine": 4, "theirs": 5]
              ],
            ])),
        put(
          "?base={one}&prefer=theirs", #"[{"id":"zion","rating":4},{"id":"arches"}]"#, status: 200,
          ["outcome": "unchanged", "head": ["cursor": "{three}"]]),
        exchange("PUT", list + "?base={one}", ["If-Match": "*"], mine, status: 400),
        exchange("PUT", list + "?prefer=mine", ["If-Match": "*"], mine, status: 400),
      ])
  }

  private static var patches: VectorValue {
    get throws {
      let start = try #"{"cursor":"{one}","version":1,"count":2,"root":"\#(root(first))"}"#
      func document(_ to: String) -> String {
        #"{"format":"list-delta/1","kind":"changes","from":\#(start)\#(to),"#
          + #""removed":[],"moved":[{"id":"zion","from":0,"to":1}],"#
          + #""inserted":[{"id":"denali","to":2,"content":{"id":"denali"}}],"#
          + #""updated":[{"id":"zion","from":0,"to":1,"content":{"id":"zion","rating":5}}]}"#
      }
      let wrong = #","to":{"count":3,"root":"00000000000000000000000000000000"}"#
      let right = try #","to":{"count":3,"root":"\#(root(second))"}"#
      func patch(_ to: String, status: Int, answer: VectorValue = .null) -> VectorValue {
        exchange(
          "PATCH", list, ["If-Match": #""{one}""#], document(to), status: status, answer: answer)
      }
      let made: VectorValue = ["head": try state("{two}", 2, second)]
      return vector(
        "changes are committed as a delta document", ["P35", "P36"],
        [
          begin, patch(wrong, status: 422), patch(right, status: 201, answer: made),
          patch("", status: 200, answer: made),
          exchange("GET", "\(list)/delta?since={two}", ["If-None-Match": #""{two}""#], status: 304),
        ])
    }
  }

  private static var queries: VectorValue {
    get throws {
      let zero = "0-00000000000000000000000000000000"
      let two = try state("{two}", 2, second)
      return vector(
        "what a replica asks for", ["P29", "P30"],
        [
          begin, goOn,
          exchange(
            "GET", "\(list)/delta?since=\(zero)&fallback=snapshot", status: 200,
            contains: ["ETag": [#""{two}"#]],
            answer: [
              "format": "list-delta/1", "kind": "snapshot", "list": "{list}", "reason": "first",
              "to": two,
            ]),
          exchange(
            "GET", "\(list)/delta?since=\(zero)", status: 200,
            answer: ["kind": "changes", "from": ["cursor": .text(zero)], "to": two]),
          exchange(
            "GET", "\(list)/delta?since={one}&fallback=snapshot",
            ["If-None-Match": #""{one}""#], status: 200, contains: ["ETag": [#""{two}"#]],
            answer: [
              "kind": "changes", "from": try state("{one}", 1, first), "to": two, "more": false,
              "moved": [["id": "zion", "from": 0, "to": 1]],
              "inserted": [["id": "denali", "to": 2, "content": ["id": "denali"]]],
            ]),
          exchange(
            "GET", "\(list)/delta?since={two}&fallback=snapshot",
            ["If-None-Match": #""{two}""#], status: 304, contains: ["ETag": [#""{two}"#]]),
          exchange(
            "GET", "\(list)/delta?since=1-00000000000000000000000000000000", status: 409,
            answer: problem(.diverged)),
          exchange(
            "GET", "\(list)/delta?since=1-00000000000000000000000000000000&fallback=snapshot",
            status: 200,
            answer: ["kind": "snapshot", "reason": "diverged", "to": two]),
          exchange(
            "GET", "\(list)/delta?since=9", status: 404, answer: problem(.noSuchVersion)),
          exchange("GET", "\(list)/delta?since={one}&sinse=2", status: 400),
          exchange("GET", "\(list)/delta?since={one}&since={two}", status: 400),
        ])
    }
  }

  private static var immutableAnswers: VectorValue {
    let fixed: [(String, VectorValue)] = [
      ("Cache-Control", ["max-age=31536000", "immutable"])
    ]
    func get(_ path: String, _ contains: [(String, VectorValue)], status: Int = 200) -> VectorValue
    {
      exchange(
        "GET", list + path, status: status,
        contains: .members(contains.map { (name: $0.0, value: $0.1) }))
    }
    func now(_ location: String) -> [(String, VectorValue)] {
      [("Cache-Control", ["no-cache"]), ("Content-Location", [.text(list + location)])]
    }
    return vector(
      "answers to full cursors never change", ["P31"],
      [
        begin, goOn,
        get("/versions/{one}", fixed), get("/versions/1", now("/versions/{one}")),
        get("", now("/versions/{two}")), get("/delta?since={one}&to={two}", fixed),
        get("/delta?since={one}&to=2", [("Cache-Control", ["no-cache"])]),
        get("/items/zion?at={one}", fixed),
        get("/items/zion", [("Cache-Control", ["no-cache"])]),
        get("/versions/9", [("Cache-Control", ["no-store"])], status: 404),
      ])
  }

  private static var events: VectorValue {
    func look(_ cursor: String, _ version: Int) -> VectorValue {
      [
        "method": "GET", "path": .text("\(list)/events"), "status": 200,
        "contains": ["Content-Type": ["text/event-stream"]],
        "event": [
          "event": "head", "id": .text(cursor),
          "data": [
            "list": "{list}", "cursor": .text(cursor), "version": .number(version), "oldest": 1,
          ],
        ],
      ]
    }
    return vector(
      "an event stream begins with the newest version", ["P37"],
      [begin, look("{one}", 1), goOn, look("{two}", 2)])
  }

  private static var changes: VectorValue {
    func look(_ query: String, _ answer: VectorValue) -> VectorValue {
      exchange(
        "GET", "/v1/changes\(query)", status: 200, contains: ["Cache-Control": ["no-store"]],
        answer: answer)
    }
    return vector(
      "which lists have changed", ["P54"],
      [
        begin, look("", ["all": true]), look("?since=0-0", ["all": true]),
        look("?since=no%20mark&wait=1", ["all": true]),
        look("?limit=0", ["all": false, "more": false, "lists": .list([])]),
        exchange("GET", "/v1/changes?limit=1001", status: 400, answer: problem(.invalidRequest)),
        exchange("GET", "/v1/changes?wait=-1", status: 400, answer: problem(.invalidRequest)),
      ])
  }

  private static func vector(
    _ name: String, _ rules: [String], _ exchanges: [VectorValue]
  ) -> VectorValue {
    ["name": .text(name), "rules": .texts(rules), "exchanges": .list(exchanges)]
  }

  private static func exchange(
    _ method: String, _ path: String, _ headers: VectorValue = [:], _ body: String? = nil,
    status: Int, contains: VectorValue = [:], answer: VectorValue = .null
  ) -> VectorValue {
    [
      "method": .text(method), "path": .text(path), "headers": headers, "body": .optional(body),
      "status": .number(status), "contains": contains, "answer": answer,
    ]
  }

  private static func problem(
    _ kind: ProblemKind, _ members: KeyValuePairs<String, VectorValue> = [:]
  ) -> VectorValue {
    .members(
      [(name: "type", value: .text("urn:listsync:problem:\(kind.rawValue)"))]
        + members.map { (name: $0.key, value: $0.value) })
  }

  private static func state(
    _ cursor: String, _ version: Int, _ items: String
  ) throws -> VectorValue {
    [
      "cursor": .text(cursor), "version": .number(version),
      "count": .number(try snapshot(of: items).items.count),
      "root": .text(try root(items)),
    ]
  }

  private static func root(_ items: String) throws -> String {
    Root(of: try snapshot(of: items)).description
  }

  private static func snapshot(of items: String) throws -> Snapshot {
    try SnapshotReader(options: SnapshotOptions()).read(Array(items.utf8)).snapshot
  }
}
