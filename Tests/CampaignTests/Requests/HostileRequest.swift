import TestSupport

/// One request as bytes, valid or altered in one place of HTTP/1.1's grammar.
struct HostileRequest {
  var method = "GET"
  var target = "/v1/lists"
  var version = "HTTP/1.1"
  /// Header lines without line ends, in the order they are sent.
  var lines: [String] = []
  var body: [UInt8] = []
  var lineEnd = "\r\n"

  var bytes: [UInt8] {
    // Latin-1, so a line can hold every byte.
    let head = ([[method, target, version].joined(separator: " ")] + lines + ["", ""])
      .joined(separator: lineEnd)
    return head.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } + body
  }

  /// Whether an answer to the request has no body.
  var isHead: Bool { method == "HEAD" }
}

extension HostileRequest {
  static let cursors = [
    "0-00000000000000000000000000000000", "1-00000000000000000000000000000000", "1", "head",
    "head~1", "spring", "2026-11-21", "99", "-1",
    "9223372036854775808", "%00", "%zz", "1%2F2", "%F0%9F", "", "head~99999999999999999999",
  ]

  static let lists = [
    "parks", "parks", "parks", "a", "rivers", "%70arks", "..", ".", "-x", "p%2Fq", "%00",
    "x%0d%0aY:%20z",
    String(repeating: "n", count: 101), "caf\u{e9}", "parks%",
  ]

  /// A request with valid framing.
  static func sound(_ random: inout SeededRandom) -> HostileRequest {
    var request = HostileRequest()
    request.lines = ["Host: localhost"]
    let list = "/v1/lists/\(random.element(of: lists))"
    let cursor = random.element(of: cursors)
    switch random.number(0...9) {
    case 0: request.commit(to: list, &random)
    case 1: request.commit(to: list, &random)
    case 2: request.target = "\(list)/delta?since=\(cursor)&to=\(random.element(of: cursors))"
    case 3: request.target = "\(list)/delta?since=\(cursor)&fallback=snapshot&limit=1"
    case 4: request.target = "\(list)/versions/\(cursor)"
    case 5: request.target = "\(list)/bundle?since=\(cursor)"
    case 6:
      let history = random.chance(2) ? "/history" : ""
      request.target = "\(list)/items/\(random.element(of: lists))\(history)"
    case 7:
      request.target = random.element(of: ["/healthz", "/readyz", "/metrics", "/openapi.json"])
    case 8:
      request.target = random.element(of: ["/", "//", "/v1/lists/", "/v1", "/v1/lists/parks/"])
    default: request.target = list
    }
    if request.method == "GET", random.chance(5) { request.method = "HEAD" }
    if random.chance(4) { request.lines.append("Accept-Encoding: gzip") }
    if random.chance(4) { request.lines.append("If-None-Match: \(random.element(of: conditions))") }
    return request
  }

  static let conditions = [
    "*", "\"1-00000000000000000000000000000000\"", "W/\"1-00000000000000000000000000000000\"",
    "\"0-00000000000000000000000000000000+gzip\"", "x", "", "\"",
    "\"1-00000000000000000000000000000000+0123456789ab\", \"x\"", ",",
    "\"1-00000000000000000000000000000000\" \"2-00000000000000000000000000000000\"",
  ]

  private static let bodies = [
    "[]", #"[{"id":"a"}]"#, #"[{"id":"b"},{"id":"c"}]"#, #"[{"id":"c"},{"id":"b","x":[]}]"#,
    #"[{"id":"a"},{"id":"b","n":1e3}]"#, #"[{"id":"a"},{"id":"a"}]"#, "[",
    "", "{}", #"[{"id":"a\u0000b"}]"#, #"[{"id":"\ud800"}]"#, "null", "id\na\nb\n",
    #"{"format":"list-delta/1"}"#, String(repeating: "[", count: 2000),
  ]

  private mutating func commit(to list: String, _ random: inout SeededRandom) {
    method = random.element(of: ["PUT", "PUT", "PUT", "PATCH"])
    target = list
    body = Array(random.element(of: Self.bodies).utf8)
    lines += ["Content-Length: \(body.count)"]
    if !random.chance(6) {
      lines.append(random.element(of: ["If-Match: *", "If-None-Match: *", "If-Match: \"x\""]))
    }
    if random.chance(6) { lines.append("Expect: 100-continue") }
    if random.chance(6) { lines.append("Content-Encoding: gzip") }
    if random.chance(6) { lines.append("Content-Type: \(random.element(of: Self.types))") }
  }

  private static let types = ["application/json", "text/csv", "image/png", ";", "", "a/b;c=\"\""]
}
