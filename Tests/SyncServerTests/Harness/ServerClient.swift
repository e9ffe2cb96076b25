import Foundation
import TestSupport

/// How a test reaches a server; the same tests run for both.
enum Transport: String, CaseIterable, Sendable, CustomStringConvertible {
  case inProcess = "in process"
  case network = "over the network"

  var description: String { rawValue }
}

/// Sends requests to one server.
protocol ServerClient: Sendable {
  func send(_ request: ClientRequest) async throws -> ClientAnswer
}

struct ClientRequest: Sendable {
  var method: String
  /// Path and query, as in the request line.
  var target: String
  var headers: [Header] = []
  var body: [UInt8] = []
}

struct Header: Equatable, Sendable {
  let name: String
  let value: String

  init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

struct ClientAnswer: Equatable, Sendable {
  let status: Int
  let headers: [Header]
  let body: [UInt8]

  /// A header's value; repeated headers are joined, as HTTP allows.
  subscript(_ name: String) -> String? {
    let values = headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  var text: String { String(decoding: body, as: UTF8.self) }

  var json: JSONValue { get throws { try JSONValue(parsing: body) } }

  /// The last part of a problem's type; nil if the answer is not a problem.
  var problem: String? {
    guard self["Content-Type"] == "application/problem+json" else { return nil }
    let type = try? json["type"]?.text
    let prefix = "urn:listsync:problem:"
    return type.flatMap { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : nil }
  }
}

extension JSONValue {
  /// The value at a path of members.
  func at(_ names: String...) -> JSONValue? {
    names.reduce(self as JSONValue?) { $0?[$1] }
  }
}
