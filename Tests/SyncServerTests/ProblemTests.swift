import FaultyFiles
import Foundation
import ListDocuments
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncServer

@Suite struct ProblemTests {
  /// A request for each kind of problem, and the status. Before each request, the list `parks` has
  /// had three versions, of which two are kept.
  private static let requests: [(kind: String, status: Int, request: ClientRequest)] = {
    let parks = "/v1/lists/parks"
    let anyHead = Header("If-Match", "*")
    return [
      ("invalid-request", 400, ClientRequest(method: "GET", target: "\(parks)/delta")),
      ("not-found", 404, ClientRequest(method: "GET", target: "/v1/lists/rivers")),
      ("no-such-version", 404, ClientRequest(method: "GET", target: "\(parks)/versions/9")),
      ("no-such-item", 404, ClientRequest(method: "GET", target: "\(parks)/items/x/history")),
      ("method-not-allowed", 405, ClientRequest(method: "POST", target: parks)),
      ("gone", 410, ClientRequest(method: "GET", target: "/v1/lists/films")),
      (
        "diverged", 409,
        ClientRequest(method: "GET", target: "\(parks)/versions/3-00000000000000000000000000000000")
      ),
      ("too-old", 410, ClientRequest(method: "GET", target: "\(parks)/delta?since=1")),
      (
        "conflicts", 409,
        // The newest version does not have the item.
        ClientRequest(
          method: "PUT", target: "\(parks)?base=2", body: Array(#"[{"id":"b","value":9}]"#.utf8))
      ),
      (
        "precondition-failed", 412,
        ClientRequest(
          method: "PUT", target: parks, headers: [Header("If-None-Match", "*")],
          body: Array("[]".utf8))
      ),
      (
        "too-large", 413,
        ClientRequest(
          method: "PUT", target: parks, headers: [anyHead], body: Array(repeating: 32, count: 2000))
      ),
      (
        "unsupported-media-type", 415,
        ClientRequest(
          method: "PUT", target: parks, headers: [anyHead, Header("Content-Type", "image/png")],
          body: [1])
      ),
      (
        "unprocessable", 422,
        ClientRequest(method: "PUT", target: parks, headers: [anyHead], body: Array("{".utf8))
      ),
      (
        "removes-too-many", 422,
        ClientRequest(
          method: "PUT", target: "\(parks)?max-removed=0", headers: [anyHead],
          body: Array("[]".utf8))
      ),
      (
        "updates-too-many", 422,
        ClientRequest(
          method: "PUT", target: "\(parks)?max-updated=0", headers: [anyHead],
          body: Array(#"[{"id":"c","value":9}]"#.utf8))
      ),
      (
        "misdirected-request", 421,
        ClientRequest(
          method: "GET", target: parks, headers: [Header("Host", "attacker.example")])
      ),
      (
        "not-implemented", 501,
        ClientRequest(
          method: "GET", target: parks, headers: [Header("Transfer-Encoding", "gzip")])
      ),
      (
        "precondition-required", 428,
        ClientRequest(method: "PUT", target: parks, body: Array("[]".utf8))
      ),
    ]
  }()

  /// An error of a store, and its problem.
  private static let failures: [(kind: String, status: Int, error: StoreError)] = [
    ("internal", 500, .inputOutput(reason: "secret")),
    ("internal", 500, .readOnly(reason: "secret")),
    ("internal", 500, .database(reason: "secret")), ("damaged", 500, .corrupt(reason: "secret")),
    ("damaged", 500, .notADatabase(store: "secret")), ("busy", 503, .busy),
    ("busy", 503, .replaced(store: "secret")),
    ("busy", 503, .unreachable(store: "secret", reason: "secret", remedy: "secret")),
    ("internal", 500, .notPermitted(reason: "secret")),
    ("out-of-space", 507, .diskFull),
  ]

  /// Problems that need a token: see `AccessTests`.
  private static let ofAccess: Set = ["unauthenticated", "forbidden"]

  @Test func testedRequestsCoverExactlyTheKindsOfProblem() {
    let tested = Set(Self.requests.map(\.kind) + Self.failures.map(\.kind)).union(Self.ofAccess)
    #expect(tested == Set(Problem.Kind.allCases.map(\.rawValue)))
  }

  @Test(arguments: Transport.allCases)
  func everyKindOfProblemHasItsTypeAndStatus(_ transport: Transport) async throws {
    let settings = ServerSettings { $0.bodyByteLimit = 1000 }
    try await TestServer.run(transport, settings: settings) { server in
      try await server.commit("a")
      try await server.commit("b")
      try await server.commit("c")
      _ = try await server.test.service.prune(
        PruneRequest(list: .parks, rule: try #require(RetentionRule(keepLast: 2))))
      try await server.headCache.refresh()
      let films = try #require(ListName("films"))
      _ = try await server.test.service.commit(CommitRequest(list: films, snapshot: .of("x")))
      _ = try await server.test.service.drop(DepartureRequest(list: films))
      try await server.headCache.refresh()
      let before = try await StoreAnswers(of: server.test.service)
      for (kind, status, request) in Self.requests {
        try await server.send(request).expectProblem(kind, status)
      }
      #expect(try await StoreAnswers(of: server.test.service) == before)
    }
  }

  @Test(
    arguments: Transport.allCases
  )
  func storeFailureIsReportedByKindWithoutItsText(_ transport: Transport) async throws {
    let failing = Failures()
    try await TestServer.run(transport, failing: failing) { server in
      try await server.commit("a")
      for (kind, status, error) in Self.failures {
        failing.fail(readingWith: error)
        let read = try await server.get("/v1/lists/parks/versions?limit=9")
        try read.expectProblem(kind, status)
        failing.fail(writingWith: error)
        let write = try await server.put("/v1/lists/parks", ["If-Match": "*"], "[]")
        try write.expectProblem(kind, status)
        failing.fail()
        for answer in [read, write] {
          #expect(!answer.text.contains("secret"))
          #expect((answer["Retry-After"] != nil) == (kind == "busy"))
        }
      }
      #expect(try await server.get("/v1/lists/parks/versions").json.elements?.count == 1)
    }
  }

  @Test(arguments: Transport.allCases)
  func storedCommitIsAcknowledgedEvenWhenReadingFails(_ transport: Transport) async throws {
    let failing = Failures()
    try await TestServer.run(transport, failing: failing) { server in
      try await server.commit("a")
      failing.failReadingAfterTheNextWrite(with: .inputOutput(reason: ""))
      // The condition is read from the cache, and the request names the id rule.
      let answer = try await server.put("/v1/lists/parks?id=id", ["If-Match": "*"], "[]")
      answer.expect(status: 201)
    }
  }

  @Test(arguments: Transport.allCases)
  func fullDiskIsReportedAndTheRefusedCommitIsNotStored(_ transport: Transport) async throws {
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let faults = try FaultyFolder(folder)
    let path = folder.appendingPathComponent("full.db").path
    let store = try SQLiteStore(path: path, ifAbsent: .create)
    try await TestServer.run(transport, on: store) { server in
      let made = try await server.put("/v1/lists/parks", ["If-None-Match": "*"], #"[{"id":"a"}]"#)
      made.expect(status: 201)
      let tag = try #require(made["ETag"])
      faults.plan = .diskFull(at: 1)
      let refused = try await server.put("/v1/lists/parks", ["If-Match": tag], #"[{"id":"b"}]"#)
      try refused.expectProblem("out-of-space", 507)
      #expect(!refused.text.contains("full.db"))
      faults.plan = nil
      #expect(try await server.get("/v1/lists/parks")["ETag"] == tag)
      let again = try await server.put("/v1/lists/parks", ["If-Match": tag], #"[{"id":"b"}]"#)
      again.expect(status: 201)
    }
  }
}
