import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing
import WebPage

@testable import SyncServer

@Suite struct PageRouteTests {
  @Test func browserGetsThePageAndProgramAProblem() async throws {
    try await TestServer.run(.inProcess) { server in
      let page = try await server.get("/", ["Accept": "text/html,application/xhtml+xml,*/*;q=0.8"])
      page.expect(status: 200)
      #expect(page["Content-Type"] == "text/html; charset=utf-8")
      #expect(page["Vary"]?.contains("Accept,") == true)
      #expect(page.text.hasPrefix("<!doctype html>"))
      try await server.get("/").expectProblem("not-found", 404)
      try await server.get("/", ["Accept": "application/json"]).expectProblem("not-found", 404)
    }
  }

  @Test func everyFileOfThePageIsServedWithAStrictPolicy() async throws {
    try await TestServer.run(.inProcess) { server in
      for (name, file) in WebPage.files {
        let answer = try await server.get("/page/\(name)")
        answer.expect(status: 200)
        #expect(answer.body == file.bytes)
        #expect(answer["Content-Type"] == file.mediaType)
        let policy = try #require(answer["Content-Security-Policy"])
        #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
      }
      try await server.get("/page/absent.js").expectProblem("not-found", 404)
    }
  }

  /// So each module can be read alone, with those that it imports.
  @Test func modulesOfThePageImportEachOtherInNoCircle() throws {
    let modules = WebPage.files.filter { $0.key.hasSuffix(".js") }.mapValues { file in
      String(decoding: file.bytes, as: UTF8.self)
        .matches(of: #/(?m)^(?:import|export) [^;]*from "\./([^"]+)";|import\("\./([^"]+)"\)/#)
        .compactMap { ($0.1 ?? $0.2).map(String.init) }
    }
    var open = modules
    // The modules whose imports are all closed are closed, one layer after the other.
    while case let layer = open.filter({ $0.value.allSatisfy { open[$0] == nil } }), !layer.isEmpty
    {
      for name in layer.keys { open[name] = nil }
    }
    #expect(open.isEmpty)
    for (name, imports) in modules {
      for missing in imports where modules[missing] == nil { Issue.record("\(name): \(missing)") }
    }
    #expect(modules["live.js"]?.contains("page.js") == true)
  }

  @Test func pageNeedsNoToken() async throws {
    try await TestServer.run(.inProcess) { server in
      _ = try await server.test.service.makeToken(
        named: #require(TokenName("reader")), grants: [AccessGrant(.read, .all)])
      try await server.headCache.refresh()
      try await server.get("/v1/lists").expectProblem("unauthenticated", 401)
      try await server.get("/", ["Accept": "text/html"]).expect(status: 200)
      try await server.get("/page/page.js").expect(status: 200)
    }
  }

  @Test(arguments: [1, 2, 3, 4, 6, 7, 1000])
  func groupsCoverTheLogAndAddUpToIt(_ most: Int) async throws {
    try await TestServer.run(.inProcess) { server in
      for version in 1...7 {
        let texts = (0..<version).map { "item-\($0)=\(version / 2)" }
        _ = try await server.test.service.commit(
          CommitRequest(list: .parks, snapshot: try .of(texts)))
      }
      try await server.headCache.refresh()
      let log = try await server.get("/v1/lists/parks/versions").json.elements ?? []
      let groups =
        try await server.get("/v1/lists/parks/versions?groups=\(most)").json.elements ?? []
      #expect(groups.count <= most && !groups.isEmpty)
      for kind in ["removed", "moved", "inserted", "updated"] {
        let total = log.reduce(0) { $0 + ($1.at("changes", kind)?.number ?? 0) }
        #expect(groups.reduce(0) { $0 + ($1.at("changes", kind)?.number ?? 0) } == total)
      }
      var next = 7.0
      for group in groups {
        #expect(group["newest"]?.number == next)
        #expect(group["count"]?.number == next)
        next = (group["oldest"]?.number ?? 0) - 1
      }
      #expect(next == 0)
    }
  }

  @Test func groupsExcludeALimit() async throws {
    try await TestServer.run(.inProcess) { server in
      _ = try await server.put("/v1/lists/parks", ["If-None-Match": "*"], #"[{"id":"a"}]"#)
      for query in ["groups=0", "groups=1001", "groups=2&limit=2"] {
        try await server.get("/v1/lists/parks/versions?\(query)")
          .expectProblem("invalid-request", 400)
      }
    }
  }

  @Test func overviewTellsTheTitleMember() async throws {
    try await TestServer.run(.inProcess) { server in
      var request = CommitRequest(list: .parks, snapshot: .empty)
      request.titlePath = JSONPointer("/name")
      _ = try await server.test.service.commit(request)
      try await server.syncServer.headCache.refresh()
      let lists = try await server.get("/v1/lists").json["lists"]?.elements
      #expect(lists?.first?["title"]?.text == "/name")
    }
  }
}
