import Foundation
import TestSupport
import Testing

@testable import SyncServer

/// `openapi.json`, and a check of a server's answers against it.
struct APIDocument: Sendable {
  static let shared = {
    do {
      return APIDocument(root: try JSONValue(parsing: Routes.openAPI))
    } catch {
      preconditionFailure("openapi.json is not JSON: \(error)")
    }
  }()

  let root: JSONValue

  var schema: JSONSchema { JSONSchema(root: root) }

  var paths: [String: JSONValue] { root["paths"]?.members ?? [:] }

  /// The path item that an address matches; nil if there is none.
  func path(of target: String) -> JSONValue? {
    let parts = target.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
    return paths.first { path, _ in
      let names = path.split(separator: "/", omittingEmptySubsequences: false)
      return names.count == parts.count
        && zip(names, parts).allSatisfy { $0 == $1 || $0.hasPrefix("{") && !$1.isEmpty }
    }?.value
  }

  /// Records the parts of an answer that the document does not describe.
  func check(_ answer: ClientAnswer, to request: ClientRequest) {
    let place = "\(request.method) \(request.target) \(answer.status)"
    let method = request.method == "HEAD" ? "get" : request.method.lowercased()
    guard let operation = path(of: request.target)?[method] else {
      // Unknown resources and methods are described in the document's introduction.
      #expect([404, 405, 204, 400, 421, 501].contains(answer.status), "\(place)")
      return
    }
    guard let named = operation.at("responses", "\(answer.status)") else {
      Issue.record("\(place): the document names no such status")
      return
    }
    checkHeaders(of: answer, by: schema.resolve(named), place)
    if request.method != "HEAD" { checkBody(of: answer, by: schema.resolve(named), place) }
  }

  /// Headers of HTTP itself, and of the layers below.
  private static let passing: Set = [
    "content-type", "content-length", "content-encoding", "transfer-encoding", "connection", "date",
    "x-content-type-options",
  ]

  private func checkHeaders(of answer: ClientAnswer, by response: JSONValue, _ place: String) {
    let named = response["headers"]?.members ?? [:]
    for header in answer.headers {
      let name = header.name.lowercased()
      if Self.passing.contains(name) || name.hasPrefix("access-control-") { continue }
      guard let found = named.first(where: { $0.key.lowercased() == name })?.value else {
        Issue.record("\(place): the document names no header \(header.name)")
        continue
      }
      let faults = schema.faults(
        of: .string(header.value), by: schema.resolve(found)["schema"] ?? .object([:]))
      #expect(faults.isEmpty, "\(place) \(header.name): \(faults.joined(separator: "; "))")
    }
  }

  private func checkBody(of answer: ClientAnswer, by response: JSONValue, _ place: String) {
    guard let type = answer["Content-Type"] else {
      #expect(answer.body.isEmpty, "\(place): a body without a type")
      return
    }
    guard let content = response["content"]?[type], let schema = content["schema"] else {
      Issue.record("\(place): the document names no content of type \(type)")
      return
    }
    guard type.hasSuffix("json"), type != MediaTypes.lines, answer["Content-Encoding"] == nil else {
      return
    }
    guard let value = try? answer.json else {
      Issue.record("\(place): not JSON: \(answer.text)")
      return
    }
    let faults = self.schema.faults(of: value, by: schema)
    #expect(faults.isEmpty, "\(place): \(faults.prefix(5).joined(separator: "; "))")
  }
}
