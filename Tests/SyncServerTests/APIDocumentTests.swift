import HTTPTypes
import ListDocuments
import ListModel
import TestSupport
import Testing

@testable import SyncServer

/// Compares the API document with the server; other tests compare its answers as they run.
@Suite struct APIDocumentTests {
  private let document = APIDocument.shared

  private func parameters(_ holder: JSONValue, in place: String) -> [String] {
    (holder["parameters"]?.elements ?? []).map(document.schema.resolve)
      .filter { $0["in"]?.text == place }.compactMap { $0["name"]?.text }
  }

  @Test func documentAndRoutesNameTheSameMethodsPathsAndParameters() async throws {
    try await TestServer.run(.inProcess) { server in
      var routes: [String: [String]] = [:]
      for route in Routes(server: server.syncServer).all {
        routes["\(route.method) \(route.path)"] = route.parameters.sorted()
      }
      var named: [String: [String]] = [:]
      for (path, item) in document.paths {
        for (method, operation) in item.members where method != "parameters" {
          named["\(method.uppercased()) \(path)"] = parameters(operation, in: "query").sorted()
        }
        let inPath = path.split(separator: "/").filter { $0.hasPrefix("{") }
          .map { String($0.dropFirst().dropLast()) }
        #expect(parameters(item, in: "path") == inPath, "\(path)")
      }
      #expect(named == routes)
    }
  }

  @Test func documentNamesExactlyTheKindsOfProblem() {
    let kinds = document.root.at("components", "schemas", "Problem", "properties", "type", "enum")
    #expect(
      Set(kinds?.elements?.compactMap(\.text) ?? []) == Set(Problem.Kind.allCases.map(\.type)))
  }

  @Test func documentSaysWhichRoutesNeedATokenAndHowToPresentIt() async throws {
    let scheme = document.root.at("components", "securitySchemes", "token")
    #expect(scheme?["type"]?.text == "http")
    #expect(scheme?["scheme"]?.text == "bearer")
    try await TestServer.run(.inProcess) { server in
      for route in Routes(server: server.syncServer).all {
        let operation = document.paths[route.path]?[route.method.rawValue.lowercased()]
        let isOpen = operation?["security"] == .array([])
        if case .open = route.access { #expect(isOpen) } else { #expect(!isOpen) }
      }
    }
  }

  @Test func everyReferenceResolvesAndEveryComponentIsReferenced() {
    var found: Set<String> = []
    func walk(_ value: JSONValue) {
      if let reference = value["$ref"]?.text {
        found.insert(reference)
        #expect(document.schema.resolve(value) != .null, "\(reference)")
      }
      for member in value.members.values { walk(member) }
      for element in value.elements ?? [] { walk(element) }
    }
    walk(document.root)
    for (group, parts) in document.root["components"]?.members ?? [:]
    where group != "securitySchemes" {
      for name in parts.members.keys {
        #expect(found.contains("#/components/\(group)/\(name)"), "\(group)/\(name)")
      }
    }
  }

  /// openapi-python-client leaves out an operation with an untyped constant. openapi-generator
  /// takes a constant for any text, and stops at a property of the type null.
  @Test func constantsAreTextsOfAnEnumAndNoPropertyIsAlwaysNull() {
    func walk(_ value: JSONValue, at place: String) {
      #expect(value["const"] == nil, "\(place)")
      if value["enum"] != nil { #expect(value["type"]?.text == "string", "\(place)") }
      for (name, property) in value["properties"]?.members ?? [:] {
        #expect(property["type"]?.text != "null", "\(place)/\(name)")
      }
      for (name, member) in value.members { walk(member, at: "\(place)/\(name)") }
      for element in value.elements ?? [] { walk(element, at: place) }
    }
    walk(document.root, at: "")
  }

  /// Generated clients send a default with each request, also beside what it excludes.
  @Test(arguments: Transport.allCases)
  func defaultsOfAllParametersMayBeSent(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await server.commit("a")
      for (path, other) in [("/versions", "groups=10"), ("/delta", "since=1&as=batch")] {
        let operation = document.paths["/v1/lists/{list}\(path)"]?["get"]
        let parameters = (operation?["parameters"]?.elements ?? []).map(document.schema.resolve)
        let defaults = parameters.compactMap { parameter -> String? in
          guard let value = parameter.at("schema", "default") else { return nil }
          return "&\(parameter["name"]?.text ?? "")=\(value.text ?? "\(Int(value.number ?? 0))")"
        }
        let target = "/v1/lists/parks\(path)?\(other)\(defaults.joined())"
        try await server.get(target).expect(status: 200)
      }
    }
  }

  @Test func documentNamesExactlyTheLimitsOfTheServer() {
    let named = document.root.at("components", "schemas", "Lists", "properties", "limits")
    let expected = Limit.allCases.map(\.rawValue) + ["body-bytes", "wait-seconds"]
    #expect(named?["properties"]?.members.keys.sorted() == expected.sorted())
  }

  @Test(arguments: [
    (#"{"type":"string"}"#, "1"), (#"{"const":1}"#, "2"), (#"{"enum":[1,2]}"#, "3"),
    (#"{"required":["a"]}"#, "{}"), (#"{"properties":{"a":{"type":"integer"}}}"#, #"{"a":1.5}"#),
    (#"{"items":{"minimum":1}}"#, "[1,0]"), (#"{"maximum":1}"#, "2"),
    (#"{"minLength":1}"#, #""""#),
    (#"{"pattern":"^a$"}"#, #""b""#), (#"{"anyOf":[{"const":1},{"const":2}]}"#, "3"),
    (##"{"$ref":"#/components/schemas/Cursor"}"##, #""7""#), (#"{"unknown":1}"#, "1"),
    (#"{"type":["string","null"]}"#, "true"),
    (#"{"properties":{"a":{}},"additionalProperties":false}"#, #"{"b":1}"#),
    (#"{"additionalProperties":{}}"#, "{}"), (#"{"allOf":[{},{"const":1}]}"#, "2"),
    (#"{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}"#, #"{"b":1}"#),
    (#"{"dependentRequired":{"a":["b"]}}"#, #"{"a":1}"#),
  ])
  func valueThatBreaksItsSchemaIsReported(_ schema: String, _ value: String) throws {
    let faults = document.schema.faults(
      of: try JSONValue(parsing: value.utf8), by: try JSONValue(parsing: schema.utf8))
    #expect(!faults.isEmpty)
  }
}
