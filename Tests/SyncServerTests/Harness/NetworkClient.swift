import Foundation
import TestSupport

/// Sends each request over a connection of its own, and reads until the server closes it.
struct NetworkClient: ServerClient {
  let port: Int

  func send(_ request: ClientRequest) async throws -> ClientAnswer {
    let bytes = try await onThread {
      let wire = try Wire(port: port)
      try wire.write(request.encoded)
      return try wire.readToEnd()
    }
    return try ClientAnswer(parsing: bytes, isHead: request.method == "HEAD")
  }
}

extension ClientRequest {
  /// The request as HTTP/1.1, with `Connection: close`.
  var encoded: [UInt8] {
    var text = "\(method) \(target) HTTP/1.1\r\nConnection: close\r\n"
    if !headers.contains(where: { $0.name == "Host" }) { text += "Host: localhost\r\n" }
    for header in headers { text += "\(header.name): \(header.value)\r\n" }
    if !body.isEmpty { text += "Content-Length: \(body.count)\r\n" }
    return Array((text + "\r\n").utf8) + body
  }
}

extension ClientAnswer {
  struct Malformed: Error {
    let reason: String
    let text: String

    init(_ reason: String, _ bytes: some Collection<UInt8>) {
      self.reason = reason
      text = String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Reads one response that ends with its connection, and the interim ones before it. Its framing
  /// must be exact.
  init(parsing bytes: [UInt8], isHead: Bool) throws {
    var (answer, rest) = try Self.parse(bytes[...], isHead: isHead)
    while answer.status == 100 { (answer, rest) = try Self.parse(rest, isHead: isHead) }
    guard rest.isEmpty else { throw Malformed("bytes follow the response", rest) }
    self = answer
  }

  /// Reads the first response of a connection, and returns what follows it.
  static func parse(
    _ bytes: ArraySlice<UInt8>, isHead: Bool
  ) throws -> (ClientAnswer, rest: ArraySlice<UInt8>) {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else {
      throw Malformed("no end of the headers", bytes)
    }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
      .split(separator: "\r\n", omittingEmptySubsequences: false)
    let words = lines[0].split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
      throw Malformed("no status line", bytes)
    }
    let headers = lines.dropFirst().map { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      return Header(
        String(parts[0]), parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
    }
    let head = ClientAnswer(status: status, headers: headers, body: [])
    let (body, rest) = try head.splitBody(bytes[end.upperBound...], isHead: isHead)
    return (ClientAnswer(status: status, headers: headers, body: body), rest)
  }

  private func splitBody(
    _ bytes: ArraySlice<UInt8>, isHead: Bool
  ) throws -> ([UInt8], rest: ArraySlice<UInt8>) {
    if isHead || status == 100 || status == 204 || status == 304 { return ([], bytes) }
    if self["Transfer-Encoding"] == "chunked" { return try Self.splitChunks(bytes) }
    guard let length = self["Content-Length"].flatMap({ Int($0) }), length <= bytes.count else {
      throw Malformed("the body is not framed, or cut off", bytes)
    }
    return (Array(bytes.prefix(length)), bytes.dropFirst(length))
  }

  private static func splitChunks(
    _ bytes: ArraySlice<UInt8>
  ) throws -> ([UInt8], rest: ArraySlice<UInt8>) {
    var (body, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes)
    let lineEnd = Array("\r\n".utf8)
    while true {
      guard let end = rest.firstRange(of: lineEnd),
        let count = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16),
        rest.endIndex - end.upperBound >= count + 2
      else { throw Malformed("the body is cut off in a chunk", rest.prefix(100)) }
      body += rest[end.upperBound...].prefix(count)
      rest = rest[end.upperBound...].dropFirst(count + 2)
      if count == 0 { return (body, rest) }
    }
  }
}
