import ListDocuments
import ListModel

@testable import SyncClient

extension VectorFile {
  static func answers() throws -> VectorFile {
    let history = try History.parks()
    let json = "application/json"
    let document = history.document(1, 2)
    func problem(_ kind: ProblemKind, _ more: String = "") -> String {
      String(decoding: JSONWriter.object { $0.members(of: kind) }, as: UTF8.self)
        .replacing("}", with: more + "}")
    }
    let cursor = history.states[1].knownCursor
    let fixed: [(Int, [String: String], String, String)] = [
      (200, ["content-type": json], document, "P32"),
      (200, ["content-type": "application/json; charset=utf-8"], document, "P32"),
      (200, ["content-type": "application/vnd.example+json"], document, "P32"),
      (200, [:], document, "P32"),
      (200, ["content-type": json], history.whole(2, .first, from: 0), "P32"),
      (200, ["content-type": "text/html"], "<h1>Log in</h1>", "P32"),
      (200, ["content-type": "text/html"], document, "P32"),
      (200, ["content-type": json], String(document.dropLast(40)), "P32"),
      (200, ["content-type": json], "{}", "P32"), (204, [:], "", "P33"),
      (304, ["etag": "\"\(cursor)\""], "", "P30"),
      (304, ["etag": "W/\"\(cursor)+gzip\""], "", "P30"), (304, [:], "", "P30"),
      (301, ["location": "/v1/lists/films/delta"], "", "P33"), (307, ["location": "/"], "", "P33"),
      (409, [:], "conflict", "P34"), (410, [:], "gone", "P34"), (404, [:], "not found", "P34"),
      (410, [:], problem(.gone, #","new_name":"sites""#), "P34"), (418, [:], "", "P33"),
      (408, [:], "", "P33"), (425, [:], "", "P33"), (429, ["retry-after": "7"], "", "P42"),
      (502, [:], "<h1>Bad gateway</h1>", "P33"), (504, [:], "", "P33"), (505, [:], "", "P33"),
      (503, ["retry-after": "1"], problem(.busy), "P42"),
      (503, ["retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"], problem(.busy), "P42"),
      (503, ["retry-after": "-1"], problem(.busy), "P42"), (599, [:], "", "P33"),
    ]
    // Problems that are none, and types that do not belong to their status.
    let odd =
      [
        "null", "[]", "7", #""x""#, "{", #"{"type":7,"detail":{}}"#, "1e9999999999999999",
        String(repeating: "[", count: 600), problem(.tooOld), problem(.diverged),
        #"{"type":"no-such-version"}"#, #"{"type":"urn:listsync:problem:unavailable"}"#,
        #"{"type":"urn:listsync:problem:mismatch"}"#,
      ].map { (404, ["content-type": "application/problem+json"], $0, "P34") } + [
        (503, [:], "null", "P34"), (410, [:], problem(.diverged), "P34"),
        (409, [:], problem(.tooOld), "P34"), (400, [:], problem(.tooOld), "P34"),
      ]
    let problems = ProblemKind.allCases.map { kind in
      (kind.statusCode, ["content-type": "application/problem+json"], problem(kind), "P34")
    }
    return VectorFile(
      name: "answers",
      about: "The answer to a replica at version 1 of the list parks that asks for changes, and "
        + "what it does: changes, snapshot, nothing-new, start-over, retry or stop.",
      vectors: (fixed + problems + odd).enumerated().map { index, answer in
        let (status, headers, body, rule) = answer
        let meaning = AnswerOutcome.answer(status, headers, body, since: cursor)
        return [
          "name": .text("answer \(index): \(status)"), "rules": [.text(rule)],
          "status": .number(status),
          "headers": .members(
            headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: .text($0.value)) }),
          "body": .text(body), "meaning": .text(AnswerOutcome(meaning).rawValue),
          "retry_after": meaning.retryAfterSeconds.map { .number(Int($0)) } ?? .null,
        ]
      })
  }

  static var waits: VectorFile {
    let rule = RetryRule()
    let cases: [(Int, Int?)] = [
      (1, nil), (2, nil), (3, nil), (7, nil), (8, nil), (40, nil), (1, 10), (3, 3600), (1, 4000),
    ]
    return VectorFile(
      name: "waits",
      about: "How long a client waits before it asks again, after a number of failures in a row "
        + "and the seconds of Retry-After.",
      vectors: cases.map { failures, asked in
        func seconds(_ random: Double) -> VectorValue {
          .seconds(
            rule.seconds(
              after: failures, retryAfterSeconds: asked.map(Double.init), random: random))
        }
        return [
          "name": .text("failure \(failures)\(asked.map { ", Retry-After \($0)" } ?? "")"),
          "rules": ["P42"], "failures": .number(failures),
          "retry_after": asked.map { .number($0) } ?? .null, "least": seconds(0),
          "most": seconds(1),
        ]
      })
  }
}
