import ListDocuments
import ListModel
import ListStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncServer

@Suite struct HistoryRouteTests {
  @Test(arguments: Transport.allCases)
  func logIsNewestFirstAndItsLinksLeadToTheEnd(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      var cursors: [String] = []
      for number in 1...7 { cursors.append("\(try await server.commit("a=\(number)"))") }
      let pages = try await server.pages(from: "/v1/lists/parks/versions?limit=3")
      let found = try pages.flatMap { try $0.json.elements ?? [] }.map { $0["cursor"]?.text }
      #expect(found == cursors.reversed() && pages.count == 3)
      #expect(pages.allSatisfy { $0["Cache-Control"] == "public, no-cache" })
      for (query, versions) in [
        ("", [7.0, 6, 5, 4, 3, 2, 1]), ("?before=3", [2, 1]), ("?before=1", []),
        ("?before=0", []), ("?before=8&limit=1", [7]), ("?before=999&limit=2", [7, 6]),
        ("?before=9223372036854775807&limit=1", [7]), ("?limit=1000", [7, 6, 5, 4, 3, 2, 1]),
      ] {
        let answer = try await server.get("/v1/lists/parks/versions\(query)")
        let found = try answer.json.elements?.compactMap { $0["version"]?.number }
        #expect(found == versions, "\(query)")
      }
      for query in ["limit=0", "limit=1001", "limit=x", "before=-1", "before=", "page=2"] {
        try await server.get("/v1/lists/parks/versions?\(query)")
          .expectProblem("invalid-request", 400)
      }
    }
  }

  private static let names = [
    "zion", "a/b", "a%2Fb", "..", ".", "é", "e\u{301}", "\u{1F409}", "two words", "a+b", "a\u{1F}b",
    "a?b#c", "\"'<>", "a\u{0}b", "a;b=c&d", "\u{FEFF}x", "\\",
  ]

  @Test(arguments: Transport.allCases)
  func historyRouteAcceptsEveryIDAndNeverConfusesTwo(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let items = try Self.names.enumerated().map { index, name in
        Item(id: ItemID(name), content: try Content(json: "\(index)"))
      }
      _ = try await server.test.service.commit(
        CommitRequest(list: .parks, snapshot: try Snapshot(items)))
      try await server.headCache.refresh()
      for (index, name) in Self.names.enumerated() {
        let answer = try await server.get(
          "/v1/lists/parks/items/\(PercentEncoding.encode(name))/history")
        #expect(answer.status == 200, "\(name)")
        let contents = try answer.json.elements?.map { $0["content"]?.number }
        #expect(contents == [Double(index)], "\(name)")
        let same = try await server.get(
          "/v1/lists/parks/history?item=\(PercentEncoding.encode(name))")
        #expect(same.status == 200 && same.body == answer.body, "\(name)")
      }
      for query in ["", "?item=", "?limit=3"] {
        try await server.get("/v1/lists/parks/history\(query)")
          .expectProblem("invalid-request", 400)
      }
      try await server.get("/v1/lists/parks/history?item=Zion").expectProblem("no-such-item", 404)
      for name in ["Zion", "zion%20", "%2E%2E%2E", "a", "a%00", "%F0%9F%90%8A"] {
        try await server.get("/v1/lists/parks/items/\(name)/history")
          .expectProblem("no-such-item", 404)
      }
      for name in ["%", "%f", "%zz", "%ff", "%C3", "%ED%A0%80"] {
        try await server.get("/v1/lists/parks/items/\(name)/history")
          .expectProblem("invalid-request", 400)
      }
      try await server.get("/v1/lists/parks/items//history").expectProblem("not-found", 404)
      try await server.get("/v1/lists/parks/items/a/b/history").expectProblem("not-found", 404)
    }
  }

  @Test(arguments: Transport.allCases)
  func historyOfAnItemListsItsChangesNewestFirst(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await server.commit("a", "b", "c")
      try await server.commit("c", "a", "b")
      try await server.commit("c", "b=1", "a")
      try await server.commit("c", "a")
      let target = "/v1/lists/parks/items/b/history"
      let all = try #require(try await server.get(target).json.elements)
      #expect(all.map { $0["version"]?.number } == [4, 3, 1])
      #expect(all.map { $0["to"]?.number } == [nil, 1, 1])
      #expect(try await server.get("\(target)?limit=3").next == nil)
      for start in ["\(target)?limit=1", "/v1/lists/parks/history?item=b&limit=1"] {
        let pages = try await server.pages(from: start)
        #expect(try pages.map { try $0.json.elements } == all.map { [$0] }, "\(start)")
      }
      for query in ["before=x", "before=-1", "limit=0", "first=1"] {
        try await server.get("\(target)?\(query)").expectProblem("invalid-request", 400)
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func placesOfAnItemComeInPagesWhoseLinksLeadToTheEnd(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await server.commit("a", "b")
      try await server.commit("c", "a", "b")
      try await server.commit("c", "a=1", "b")
      try await server.commit("b", "c", "a")
      try await server.commit("b", "c")
      let target = "/v1/lists/parks/items/a/places"
      let all = try await server.get(target)
      let runs = try #require(try all.json.elements)
      #expect(runs.map { $0["from"]?.number } == [4, 2, 1])
      #expect(runs.map { $0["to"]?.number } == [4, 3, 1])
      #expect(runs.map { $0["index"]?.number } == [2, 1, 0])
      let pages = try await server.pages(from: "/v1/lists/parks/places?item=a&limit=1")
      #expect(try pages.map { try $0.json.elements } == runs.map { [$0] })
      for (query, versions) in [
        ("first=2", [1]), ("first=1", [1]), ("first=9&before=4", [1]), ("before=1", []),
        ("before=3", [2, 1]),
      ] as [(String, [Double])] {
        let found = try await server.get("\(target)?\(query)").json.elements
        #expect(found?.map { $0["from"]?.number } == versions, "\(query)")
      }
      for query in ["first=0", "first=x", "limit=0", "limit=1001", "before=x", "item=a"] {
        try await server.get("\(target)?\(query)").expectProblem("invalid-request", 400)
      }
      for query in ["", "?item=", "?first=3"] {
        try await server.get("/v1/lists/parks/places\(query)")
          .expectProblem("invalid-request", 400)
      }
      try await server.get("/v1/lists/parks/items/z/places").expectProblem("no-such-item", 404)
      try await server.get("/v1/lists/other/items/a/places").expectProblem("not-found", 404)
    }
  }

  @Test(arguments: Transport.allCases)
  func placesThatAClientHasAreNotSentAgain(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let cursor = try await server.commit("a", "b")
      let target = "/v1/lists/parks/items/b/places"
      let answer = try await server.get(target)
      let tag = try #require(answer["ETag"])
      #expect(tag.contains("\(cursor)") && answer["Cache-Control"] == "public, no-cache")
      try await server.get(target, ["If-None-Match": tag]).expect(status: 304)
      try await server.commit("a", "b", "c")
      try await server.get(target, ["If-None-Match": tag]).expect(status: 200)
    }
  }

  @Test(arguments: Transport.allCases)
  func tagsOfAListAreListedWithTheirVersions(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let cursor = try await server.commit("a")
      for name in ["spring", "Autumn"] {
        _ = try await server.test.service.tag(try #require(TagName(name)), of: .parks)
      }
      let tags = try await server.get("/v1/lists/parks/tags").json.elements
      #expect(tags?.map { $0["tag"]?.text } == ["Autumn", "spring"])
      #expect(tags?.allSatisfy { $0["cursor"]?.text == "\(cursor)" } == true)
    }
  }

  @Test(arguments: Transport.allCases)
  func listsComeInPagesWhoseLinksLeadToTheEnd(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let names = ["Z", "a-1", "a-2", "a-3", "a.4", "b"]
      for name in names {
        try await server.put("/v1/lists/\(name)", ["If-None-Match": "*"], "[]").expect(status: 200)
      }
      func listed(_ answer: ClientAnswer) throws -> [String] {
        try #require(try answer.json["lists"]?.elements).compactMap { $0["list"]?.text }
      }
      for (query, pages) in [
        ("", [names]), ("?limit=1000", [names]), ("?limit=6", [names]),
        ("?limit=4", [Array(names[..<4]), Array(names[4...])]),
        ("?prefix=a-&limit=2", [["a-1", "a-2"], ["a-3"]]), ("?prefix=a-&after=a-2", [["a-3"]]),
        ("?after=a-25", [["a-3", "a.4", "b"]]), ("?prefix=%C3%A9", [[]]), ("?prefix=", [names]),
      ] {
        let answers = try await server.pages(from: "/v1/lists\(query)")
        #expect(try answers.map(listed) == pages, "\(query)")
        #expect(try answers.allSatisfy { try $0.json["limits"] != nil })
      }
      for query in ["limit=0", "limit=1001", "limit=x", "after=", "after=a%20b", "before=a"] {
        try await server.get("/v1/lists?\(query)").expectProblem("invalid-request", 400)
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func pruningsOfAListAreListed(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      for item in ["a", "b", "c"] { try await server.commit(item) }
      #expect(try await server.get("/v1/lists/parks/prunings").json.elements == [])
      let rule = try #require(RetentionRule(keepLast: 1))
      var request = PruneRequest(list: .parks, rule: rule)
      request.author = "Ann"
      _ = try await server.test.service.prune(request)
      let records = try await server.get("/v1/lists/parks/prunings").json.elements
      #expect(records?.count == 1)
      #expect(records?.first?["from"]?.number == 1)
      #expect(records?.first?["to"]?.number == 2)
      #expect(records?.first?["author"]?.text == "Ann")
    }
  }

  @Test(arguments: Transport.allCases)
  func listsAreOrderedByNameWithTheirHeadsAndTheLimits(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      #expect(try await server.get("/v1/lists").json["lists"]?.elements == [])
      let cursor = try await server.commit("a", "b")
      try await server.put("/v1/lists/Z", ["If-None-Match": "*"], "[]").expect(status: 200)
      let answer = try await server.get("/v1/lists")
      let lists = try #require(try answer.json["lists"]?.elements)
      #expect(lists.map { $0["list"]?.text } == ["Z", "parks"])
      #expect(lists[1].at("head", "cursor")?.text == "\(cursor)")
      #expect(lists[1].at("head", "count")?.number == 2)
      #expect(lists[1]["oldest"]?.number == 1)
      #expect(lists[1]["committed_at"]?.text == "2026-11-21T12:00:00Z")
      let limits = try #require(try answer.json["limits"])
      for limit in Limit.allCases { #expect(limits[limit.rawValue] != nil) }
      #expect(limits["body-bytes"]?.number == Double(64 << 20))
      #expect(limits["wait-seconds"]?.number == 60)
    }
  }
}

@Suite struct BundleRouteTests {
  /// It starts from nothing or from a version.
  @Test(arguments: Transport.allCases)
  func bundleGivesAnotherStoreTheSameListFromAnyStart(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await server.commit("a", "b")
      let middle = try await server.commit("b", "c")
      let newest = try await server.commit("c=1")
      for target in [
        "bundle", "bundle?since=0", "bundle?to=head",
        "bundle?since=0-00000000000000000000000000000000",
      ] {
        let answer = try await server.get("/v1/lists/parks/\(target)")
        #expect(answer.status == 200)
        #expect(answer["Content-Type"] == "application/x-ndjson")
        #expect(answer["ETag"]?.hasPrefix("\"\(newest)+") == true)
        #expect(answer["Cache-Control"] == "public, no-cache")
        let other = try TestStore()
        try await other.apply(answer.body)
        #expect(
          try await StoreAnswers(of: other.service)
            == StoreAnswers(of: server.test.service), "\(target)")
      }
      let other = try TestStore()
      for target in ["bundle?to=2", "bundle?since=\(middle)"] {
        try await other.apply(server.get("/v1/lists/parks/\(target)").body)
      }
      #expect(
        try await StoreAnswers(of: other.service) == StoreAnswers(of: server.test.service))
      let tag = try #require(try await server.get("/v1/lists/parks/bundle")["ETag"])
      let unchanged = try await server.get("/v1/lists/parks/bundle", ["If-None-Match": tag])
      #expect(unchanged.status == 304)
    }
  }

  @Test(arguments: Transport.allCases)
  func bundleOfNoVersionsOrOfPrunedOnesIsRefused(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let old = try await server.commit("a")
      try await server.commit("b")
      try await server.commit("c")
      for query in ["since=3", "since=3&to=2", "since=head"] {
        try await server.get("/v1/lists/parks/bundle?\(query)")
          .expectProblem("invalid-request", 400)
      }
      try await server.get("/v1/lists/parks/bundle?since=4").expectProblem("no-such-version", 404)
      try await server.get("/v1/lists/parks/bundle?since=3-00000000000000000000000000000000")
        .expectProblem("diverged", 409)
      _ = try await server.test.service.prune(
        PruneRequest(list: .parks, rule: try #require(RetentionRule(keepLast: 2))))
      try await server.headCache.refresh()
      for query in ["since=\(old)", "since=1", "since=0", "to=1"] {
        try await server.get("/v1/lists/parks/bundle?\(query)").expectProblem("too-old", 410)
      }
      let whole = try await server.get("/v1/lists/parks/bundle")
      let other = try TestStore()
      try await other.apply(whole.body)
      #expect(
        try await other.service.snapshot(of: .parks).snapshot
          == server.test.service.snapshot(of: .parks).snapshot)
    }
  }

  @Test(arguments: Transport.allCases)
  func bundleWhoseReadingFailsEndsVisiblyCutOff(_ transport: Transport) async throws {
    let failures = Failures()
    try await TestServer.run(transport, failing: failures) { server in
      try await server.commit("a")
      failures.fail(readingWith: .corrupt(reason: ""), after: 1)
      await #expect(throws: (any Error).self) { try await server.get("/v1/lists/parks/bundle") }
      failures.fail()
      try await server.get("/v1/lists/parks/bundle").expect(status: 200)
    }
  }
}
