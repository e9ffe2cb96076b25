import Foundation
import TestSupport

/// Reads a server's answers on one connection, and judges each: its status must be known, its frame
/// must follow HTTP, and a refusal must give the reason.
struct AnswerReader {
  struct Answer {
    let version: String
    let status: Int
    let headers: [(name: String, value: String)]
    var body: [UInt8] = []

    func header(_ name: String) -> String? {
      let values = headers.filter { $0.name.lowercased() == name }.map(\.value)
      return values.isEmpty ? nil : values.joined(separator: ", ")
    }
  }

  /// A fault of an answer.
  struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  static let statuses: Set = [
    100, 200, 201, 204, 304, 400, 401, 404, 405, 409, 410, 412, 413, 415, 421, 422, 428, 501, 503,
    507,
  ]

  private var rest: ArraySlice<UInt8>
  /// Whether the connection was reset: then the last answer may be cut.
  private let isBroken: Bool

  init(_ bytes: [UInt8], isBroken: Bool) {
    rest = bytes[...]
    self.isBroken = isBroken
  }

  /// All answers except interim ones.
  ///
  /// - Parameter requests: the sent requests, in order.
  mutating func answers(to requests: [HostileRequest]) throws -> [Answer] {
    var answers: [Answer] = []
    while !rest.isEmpty {
      guard var answer = try head() else { break }
      if answer.status == 100 { continue }
      let isHead = answers.count < requests.count && requests[answers.count].isHead
      guard let body = try body(of: answer, isHead: isHead) else { break }
      answer.body = body
      try judge(answer, isHead: isHead)
      answers.append(answer)
      if answer.header("connection") == "close", !rest.isEmpty {
        throw Fault(description: "bytes follow the end of the connection: \(text(rest.prefix(80)))")
      }
    }
    return answers
  }

  private func text(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  /// The next head; nil if the connection was reset within it.
  private mutating func head() throws -> Answer? {
    guard let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) else {
      if isBroken { return nil }
      throw Fault(description: "no end of the headers: \(text(rest.prefix(200)))")
    }
    let lines = text(rest[..<end.lowerBound]).components(separatedBy: "\r\n")
    rest = rest[end.upperBound...]
    let words = lines[0].split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard words.count == 3, words[0] == "HTTP/1.1" || words[0] == "HTTP/1.0",
      words[1].utf8.count == 3, let status = Int(words[1])
    else { throw Fault(description: "no status line: \(lines[0])") }
    guard Self.statuses.contains(status) else { throw Fault(description: "status \(status)") }
    let headers = try lines.dropFirst().map { line in
      guard let colon = line.firstIndex(of: ":"), !line.contains("\n"), !line.contains("\r") else {
        throw Fault(description: "no header: \(line)")
      }
      return (
        name: String(line[..<colon]),
        value: line[colon...].dropFirst().trimmingCharacters(in: .whitespaces)
      )
    }
    return Answer(version: String(words[0]), status: status, headers: headers)
  }

  private mutating func body(of answer: Answer, isHead: Bool) throws -> [UInt8]? {
    let (length, coding) = (answer.header("content-length"), answer.header("transfer-encoding"))
    if length != nil, coding != nil { throw Fault(description: "two frames") }
    if coding != nil, answer.version == "HTTP/1.0" { throw Fault(description: "chunks in 1.0") }
    // If the request is invalid, the server cannot know whether it was a HEAD.
    let isRefused = answer.status == 400 && answer.header("connection") == "close" && !rest.isEmpty
    if isHead && !isRefused || answer.status == 204 || answer.status == 304 { return [] }
    if coding == "chunked" { return try chunks() }
    guard let length else {
      guard answer.header("connection") == "close" else {
        throw Fault(description: "an answer without a frame goes on for ever")
      }
      defer { rest = [] }
      return Array(rest)
    }
    guard let count = Int(length), count >= 0 else { throw Fault(description: "length \(length)") }
    guard rest.count >= count else {
      if isBroken { return nil }
      throw Fault(description: "\(rest.count) of \(count) bytes")
    }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  private mutating func chunks() throws -> [UInt8]? {
    var body: [UInt8] = []
    while true {
      guard let end = rest.firstRange(of: Array("\r\n".utf8)),
        let count = Int(text(rest[..<end.lowerBound]), radix: 16),
        rest.endIndex - end.upperBound >= count + 2
      else {
        if isBroken { return nil }
        throw Fault(description: "cut off in a chunk")
      }
      body += rest[end.upperBound...].prefix(count)
      rest = rest[end.upperBound...].dropFirst(count + 2)
      if count == 0 { return body }
    }
  }

  private func judge(_ answer: Answer, isHead: Bool) throws {
    guard answer.status >= 400, !isHead else { return }
    guard answer.header("content-type") == "application/problem+json" else {
      throw Fault(description: "\(answer.status) is no problem: \(answer.headers)")
    }
    guard answer.header("cache-control") == "no-store" else {
      throw Fault(description: "\(answer.status) may be stored")
    }
    var bytes = answer.body
    if answer.header("content-encoding") == "gzip" { return }
    guard let problem = try? JSONValue(parsing: bytes),
      problem["type"]?.text?.hasPrefix("urn:listsync:problem:") == true,
      problem["status"] == .number(Double(answer.status))
    else {
      bytes = Array(bytes.prefix(200))
      throw Fault(description: "\(answer.status) tells nothing: \(text(bytes))")
    }
  }
}
