import TestSupport

/// Alterations of a request, one place at a time.
extension HostileRequest {
  mutating func bend(_ random: inout SeededRandom) {
    switch random.number(0...7) {
    case 0: method = random.element(of: Self.methods)
    case 1: target = random.element(of: Self.targets)
    case 2: version = random.element(of: Self.versions)
    case 3: bendHost(&random)
    case 4, 5: frame(&random)
    case 6: lines.insert(random.element(of: Self.badLines), at: random.number(0...lines.count))
    default: flip(&random)
    }
  }

  private static let methods = [
    "get", "FOO", "", "G\0T", "POST", "DELETE", "TRACE", "OPTIONS", "CONNECT", "PROPFIND", "GET\t",
    " GET", String(repeating: "A", count: 20_000), "PUT", "PATCH",
  ]

  private static let targets = [
    "http://attacker.example/v1/lists", "http:///v1/lists", "*", "localhost:80", "", "/v1/lists#x",
    "/v1/lists parks", "/v1/../v1/lists", "/%2e%2e/", "/v1/lists?\u{0}", "/v1/lists?x=%", "/\u{e9}",
    "/v1/lists/parks/delta?since=1&since=1", "/v1/lists/parks/delta?since=1&sinse=2",
    "/v1/lists/parks/delta?since=0&wait=99", "/v1/lists/parks/delta?since=0&limit=0",
    "/" + String(repeating: "a", count: 20_000),
    "/v1/lists?" + String(repeating: "a&", count: 5_000),
    "/v1/lists/parks/items/" + String(repeating: "%41", count: 2_000) + "/history", "\\v1\\lists",
  ]

  private static let versions = [
    "HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.2", "http/1.1", "HTTP/1.1 ", "HTTP/11", "HTTP/1",
    "", "HTTP/1.1\u{0}", "XTTP/1.1", "HTTP/1.10",
  ]

  private mutating func bendHost(_ random: inout SeededRandom) {
    lines.removeAll { $0.hasPrefix("Host:") }
    lines += random.element(of: [
      [], ["Host: localhost", "Host: localhost"], ["Host: attacker.example"], ["Host:"],
      ["Host: a b"], ["Host: 127.0.0.1:99999999"], ["Host: [::1"], ["Host: localhost:80:80"],
      ["host: LOCALHOST"], ["Host: localhost", "Origin: http://attacker.example"],
      ["Host: \u{e9}"], ["Host: " + String(repeating: "h", count: 15_000)],
    ])
  }

  /// Gives the body a wrong frame, or the right one in an unusual form.
  private mutating func frame(_ random: inout SeededRandom) {
    method = random.element(of: ["PUT", "PUT", "PATCH", "GET"])
    lines.removeAll { $0.hasPrefix("Content-Length:") }
    let count = body.count
    if random.chance(2) {
      lines += random.element(of: [
        ["Content-Length: \(count + 1)"], ["Content-Length: \(max(0, count - 1))"],
        ["Content-Length: -1"], ["Content-Length: +\(count)"], ["Content-Length: 0x2"],
        ["Content-Length: \(count)", "Content-Length: \(count)"],
        ["Content-Length: \(count)", "Content-Length: \(count + 1)"],
        ["Content-Length: \(count), \(count)"], ["Content-Length: 9223372036854775807"],
        ["Content-Length: 99999999999999999999"], ["Content-Length:"],
        ["Content-Length: \(count)", "Transfer-Encoding: chunked"],
        ["Transfer-Encoding: chunked", "Content-Length: \(count)"],
      ])
      return
    }
    lines += random.element(of: [
      ["Transfer-Encoding: chunked"], ["Transfer-Encoding: chunked"],
      ["Transfer-Encoding: chunked"],
      ["Transfer-Encoding: gzip, chunked"], ["Transfer-Encoding: chunked, gzip"],
      ["Transfer-Encoding: Chunked"], ["Transfer-Encoding: identity"],
      ["Transfer-Encoding:\u{b}chunked"], ["Transfer-Encoding: xchunked"],
      ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
    ])
    body = chunked(&random)
  }

  private func chunked(_ random: inout SeededRandom) -> [UInt8] {
    var bytes: [UInt8] = []
    for piece in body.chunks(of: max(1, random.number(1...max(1, body.count)))) {
      let size = String(piece.count, radix: 16)
      let line = random.element(of: [size, size, size, "0\(size)", "\(size);x=\"y\"", "\(size) "])
      bytes += Array("\(line)\r\n".utf8) + piece + "\r\n".utf8
    }
    return bytes
      + random.element(of: [
        "0\r\n\r\n", "0\r\n\r\n", "0\r\n\r\n", "0\r\nX-Trailer: 1\r\n\r\n", "0\r\n", "", "0\r\n\r",
        "zz\r\n", "-1\r\n\r\n", "ffffffffffffffff\r\n", "8000000000000000\r\nx", "2\r\n[]]\r\n",
        "0\r\nHost: evil\r\nContent-Length: 5\r\n\r\n", "0\n\n",
        "0;\(String(repeating: "e", count: 20_000))\r\n\r\n",
      ]).utf8
  }

  private static let badLines = [
    "NoColon", ": novalue", "X Y: 1", "X: a\u{0}b", "X: a\rb", " folded", "X : 1", "X:\u{7f}",
    "Connection: close", "Connection: keep-alive, close", "Connection: upgrade", "Upgrade: h2c",
    "Expect: 200-ok", "Expect: 100-continue", "Range: bytes=0-1", "If-Match: *",
    "If-Match: " + String(repeating: "\"1-00000000000000000000000000000000\", ", count: 700),
    "X: " + String(repeating: "a", count: 20_000), "Authorization: Bearer lst_x",
    "Authorization: Basic eDp5", "Accept-Encoding: gzip;q=x, *;q=", "X-Request-Id: a b",
    "Last-Event-ID: \u{ff}", "Cookie: " + String(repeating: "c=1; ", count: 1_000),
    (0..<150).map { "H\($0): 1" }.joined(separator: "\r\n"), "Trailer: Content-Length",
    "Content-Encoding: br", "Content-Type: application/json\u{0}", "\u{e9}: 1",
  ]

  private mutating func flip(_ random: inout SeededRandom) {
    if random.chance(4) {
      lineEnd = "\n"
      return
    }
    guard !lines.isEmpty else { return }
    let index = random.number(0...lines.count - 1)
    var scalars = Array(lines[index].unicodeScalars)
    guard !scalars.isEmpty else { return }
    scalars[random.number(0...scalars.count - 1)] = UnicodeScalar(UInt8(random.number(0...255)))
    lines[index] = String(String.UnicodeScalarView(scalars))
  }
}
