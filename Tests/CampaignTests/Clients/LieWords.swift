import Foundation
import TestSupport

/// Values that a lying server may send instead of the right ones.
enum LieWords {
  static let statusLines: [String] =
    (["HTTP/1.0", "HTTP/1.1"] as [String]).flatMap { version in
      [
        100, 101, 102, 103, 199, 200, 201, 203, 204, 205, 206, 226, 300, 301, 302, 303, 304, 305,
        307,
        308, 399, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 418, 421,
        425,
        426, 428, 429, 431, 451, 499, 500, 501, 502, 503, 504, 505, 507, 511, 599, 600, 999,
      ].map { "\(version) \($0) X" }
    } + [
      "HTTP/1.1 200", "HTTP/1.1 200 ", "HTTP/1.1  200 OK", "HTTP/1.1\t200\tOK", "HTTP/1.1 0200 OK",
      "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 -200 OK", "HTTP/1.1 +200 OK", "HTTP/1.1 OK",
      "HTTP/2 200 OK", "HTTP/2.0 200 OK", "HTTP/0.9 200 OK", "HTTP/1.2 200 OK", "HTTP/11 200 OK",
      "http/1.1 200 OK", "ICY 200 OK", "HTTPS/1.1 200 OK", "", " ", "\r\n", "\u{0}", "SSH-2.0-x",
      "HTTP/1.1 200 O\u{0}K", "HTTP/1.1 200 " + String(repeating: "x", count: 100_000),
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK", "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK",
      String(repeating: "HTTP/1.1 100 X\r\n\r\n", count: 500) + "HTTP/1.1 200 OK",
    ]

  static let fields: [(name: String, value: String)] =
    values(
      "Content-Length",
      [
        "", "-1", "+5", "0", "1", "5", "5, 5", "5, 6", "0x10", " 7 ", "1e3", "99999999",
        "9223372036854775806", "9223372036854775807", "9223372036854775808", "18446744073709551616",
        String(repeating: "9", count: 400), "abc", "5\r\nContent-Length: 6",
      ])
    + values(
      "Transfer-Encoding",
      [
        "", "chunked", "CHUNKED", "chunked, chunked", "gzip, chunked", "chunked, gzip", "identity",
        "xchunked", "chunked\r\nContent-Length: 3", "\u{B}chunked", "gzip",
      ])
    + values(
      "Content-Encoding", ["", "gzip", "x-gzip", "GZIP", "gzip, gzip", "br", "deflate", "zstd"])
    + values(
      "Content-Type",
      [
        "", "text/html", "application/json; charset=utf-16", "application/problem+json", "json",
        "application/json, text/html", String(repeating: "a/", count: 50_000),
      ])
    + values(
      "ETag",
      [
        "", "\"\"", "x", "\"9-0123456789ab00000000000000000000\"",
        "W/\"1-00000000000000000000000000000000\"", "\"0-00000000000000000000000000000000\"",
      ])
    + values(
      "Retry-After", ["", "-1", "0", "1", "3599", "999999999", "9999999999999999999", "Sun"])
    + values(
      "Connection", ["close", "keep-alive", "upgrade", "Content-Length", "close, keep-alive"])
    + values("Location", ["/", "http://127.0.0.1:1/", "//", "file:///etc/passwd", "\u{0}"])
    + values("WWW-Authenticate", ["Basic realm=\"x\"", "Negotiate", "Digest", "Bearer", ""])
    + values("Upgrade", ["h2c", "websocket"]) + values("Trailer", ["Content-Length", "X"])
    + values("Set-Cookie", ["a=b", String(repeating: "c", count: 9000)])
    + values(
      "X", ["\u{0}", "a\r\n b", "a\n\rb", String(repeating: "x", count: 100_000), "\u{7F}é"])
    + values("", ["x"]) + values("Content-Length ", ["3"]) + values(" X", ["y"])
    + values("A\u{0}B", ["c"])
    + [("Many", (0..<5_000).map { "x\r\nMany-\($0): y" }.joined())]

  private static func values(
    _ name: String, _ values: [String]
  ) -> [(name: String, value: String)] { values.map { (name, $0) } }

  static let chunkSizes = [
    "%x\r\n", "%x ;a=b\r\n", "0%x\r\n", "0x%x\r\n", "-%x\r\n", "%xg\r\n", "%x\n", "%x",
    "\r\n%x\r\n",
    "%x;\(String(repeating: "e", count: 60_000))\r\n", "ffffffffffffffff\r\n",
    "7fffffffffffffff\r\n",
    "10000000000000000\r\n", "%x\r\n\r\n", "\u{0}%x\r\n",
  ]

  /// A body in one chunk whose size line is `line`, possibly with another end.
  static func chunks(_ line: String, _ body: [UInt8]) -> ([UInt8], String) {
    let size = line.replacing("%x", with: String(body.count, radix: 16))
    let trailers = String(repeating: "X: y\r\n", count: line.hasPrefix("0") ? 2000 : 1)
    let ends = ["\r\n0\r\n\r\n", "\r\n0\r\n\(trailers)\r\n", "\r\n0\r\n", "0\r\n\r\n", "\r\n"]
    let end = ends[(line.utf8.count + body.count) % ends.count]
    return (Array(size.utf8) + body + Array(end.utf8), size.prefix(30).debugDescription)
  }

  /// A gzip-packed body, intact or damaged.
  static func packed(_ body: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
    var packed = WireFrame.gzip(body)
    switch random.number(1...8) {
    case 1: return body
    case 2: return Array(packed.prefix(random.number(0...packed.count)))
    case 3: packed[random.number(0...packed.count - 1)] ^= UInt8(1 << random.number(0...7))
    case 4: return packed + WireFrame.gzip([]) + WireFrame.gzip(Array("\n".utf8))
    case 5: return packed + Array("rest".utf8)
    case 6: return bomb
    case 7: return WireFrame.gzip(packed)
    default: return []
    }
    return packed
  }

  /// 64 MiB of blanks.
  private static let bomb: [UInt8] = {
    let member = WireFrame.gzip([UInt8](repeating: 0x20, count: 4 << 20))
    return Array((0..<16).map { _ in member }.joined())
  }()

  private static let values = [
    "null", "true", "\"\"", "\"x\"", "-1", "0", "1", "2", "1.5", "1e999999", "9223372036854775807",
    "9223372036854775808", "18446744073709551616", "[]", "{}", "[[]]", "{\"a\":1}", "\"snapshot\"",
    "\"changes\"", "\"\\u0000\"", "\"\\ud800\"", "\"0-00000000000000000000000000000000\"",
    "\"9-0123456789ab00000000000000000000\"",
    "\"\(String(repeating: "f", count: 32))\"", "\"\(String(repeating: "x", count: 3000))\"", "",
    "nul",
    String(repeating: "[", count: 2000),
  ]

  /// A document with one value, one name or one member changed.
  static func member(_ body: [UInt8], _ random: inout SeededRandom) -> ([UInt8], String) {
    let text = String(decoding: body, as: UTF8.self)
    let colons = text.indices.filter { text[$0] == ":" && text[text.index(after: $0)] != "/" }
    guard !colons.isEmpty else { return (Array("{}".utf8), "{}") }
    let start = text.index(after: random.element(of: colons))
    let end = text[start...].firstIndex { ",]}".contains($0) } ?? text.endIndex
    let new = random.element(of: values)
    let name = "\(text[..<start].suffix(24)) \(new.prefix(30))"
    let member = text[..<start].lastIndex { ",{[".contains($0) }.map { text.index(after: $0) }
    switch (random.number(1...6), member) {
    case (1, let member?):
      return (Array((text[..<member] + text[end...].dropFirst()).utf8), "without \(name)")
    case (2, let member?):
      let twice = text[..<end] + "," + text[member..<start] + new + text[end...]
      return (Array(twice.utf8), "twice \(name)")
    case (3, _):
      let otherStart = text.index(after: random.element(of: colons))
      let otherEnd = text[otherStart...].firstIndex { ",]}".contains($0) } ?? text.endIndex
      let moved = text[..<start] + text[otherStart..<otherEnd] + text[end...]
      return (Array(moved.utf8), "moved \(name)")
    default: return (Array((text[..<start] + new + text[end...]).utf8), name)
    }
  }
}
