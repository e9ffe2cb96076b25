import ListDocuments
import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncServer

@Suite struct DeltaRouteTests {
  private static let since = "/v1/lists/parks/delta?since="

  @Test(arguments: Transport.allCases)
  func deltaHasItsEndAsTheTagAndNamesItsPermanentAddress(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let old = try await server.commit("a", "b")
      let new = try await server.commit("b", "c", "a")
      let answer = try await server.get("\(Self.since)1")
      #expect(answer.status == 200)
      #expect(answer["ETag"] == "\"\(new)\"")
      #expect(answer["Cache-Control"] == "public, no-cache")
      let location = try #require(answer["Content-Location"])
      #expect(location == "\(Self.since)\(old)&to=\(new)")
      let document = try DeltaDocument(answer.body)
      #expect(try document.applied(to: .of("a", "b")) == .of("b", "c", "a"))

      let pinned = try await server.get(location)
      #expect(pinned.body == answer.body)
      #expect(pinned["Cache-Control"] == "public, max-age=31536000, immutable")
      #expect(pinned["Content-Location"] == location)
    }
  }

  /// The signature may be that of another key tomorrow, so it is in no answer that never changes.
  @Test(arguments: Transport.allCases)
  func signedAnswerHasTheNoteOfItsEnd(_ transport: Transport) async throws {
    let (key, next) = (SigningKey(name: "a")!, SigningKey(name: "b")!)
    var tags: Set<String?> = []
    for keys in [[], [key], [key, next]] {
      var settings = ServerSettings()
      settings.signer = keys.isEmpty ? nil : HeadSigner(keys)
      try await TestServer.run(transport, settings: settings) { server in
        let old = try await server.commit("a", "b")
        let new = try await server.commit("b", "c", "a")
        try await server.commit("b", "c", "a", "d")
        for target in [
          "\(Self.since)1", "\(Self.since)\(old)&limit=2", "\(Self.since)0&fallback=snapshot",
          "\(Self.since)\(old)&to=2", "\(Self.since)\(old)&fallback=snapshot&smaller=true",
        ] {
          let answer = try await server.get(target)
          let (to, note) =
            switch try CatchUpAnswer<DeltaDocument>(answer.body) {
            case .changes(let delta): (delta.to, delta.note)
            case .snapshot(let delta): (delta.to, delta.note)
            }
          #expect(answer["Cache-Control"]?.contains("immutable") == false)
          for key in keys {
            let head = try SignedHead(note: try #require(note, "\(target)"), signedBy: key.verifier)
            #expect(head.isOf(to) && head.list == .parks)
          }
          if keys.isEmpty {
            #expect(note == nil)
          } else {
            #expect(answer["Content-Location"] == nil)
          }
          if target == "\(Self.since)1" {
            #expect(tags.insert(answer["ETag"]).inserted)
            let again = try await server.get(
              target, ["If-None-Match": try #require(answer["ETag"])])
            #expect(again.status == 304)
          }
        }
        for target in ["\(Self.since)\(old)&to=\(new)", "\(Self.since)\(old)&to=\(new)&as=batch"] {
          let pinned = try await server.get(target)
          #expect(pinned["Cache-Control"]?.hasSuffix("immutable") == true)
          #expect(!String(decoding: pinned.body, as: UTF8.self).contains("list-head/1"))
        }
      }
    }
  }

  /// Later commits, tags and pruning make no difference, nor does a list that is dropped, and
  /// begins again with the same versions.
  @Test(arguments: Transport.allCases)
  func pinnedRangeAlwaysGivesTheSameBytes(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await server.commit("0")
      let old = try await server.commit("a", "b")
      let new = try await server.commit("b", "c", "a")
      let targets = [
        "\(Self.since)\(old)&to=\(new)", "\(Self.since)\(new)&to=\(old)",
        "\(Self.since)0-00000000000000000000000000000000&to=\(new)",
        "\(Self.since)\(old)&to=\(new)&as=batch",
        "\(Self.since)\(old)&to=\(new)&limit=1",
        "/v1/lists/parks/versions/\(old)", "/v1/lists/parks/items/a?at=\(old)",
      ]
      var before: [ClientAnswer] = []
      for target in targets { before.append(try await server.get(target).lasting) }
      try await server.commit("z")
      let rule = try #require(RetentionRule(keepLast: 3))
      let pruned = try await server.test.service.prune(PruneRequest(list: .parks, rule: rule))
      #expect(pruned.record != nil)
      try await server.headCache.refresh()
      for (target, answer) in zip(targets, before) {
        #expect(answer["Cache-Control"]?.hasSuffix("immutable") == true, "\(target)")
        #expect(try await server.get(target).lasting == answer, "\(target)")
      }
      _ = try await server.test.service.drop(DepartureRequest(list: .parks))
      var request = CommitRequest(list: .parks, snapshot: try .of("0"))
      (request.beginsAgain, request.idRule) = (true, #"["id"]"#)
      _ = try await server.test.service.commit(request)
      #expect(try await server.commit("a", "b") == old)
      #expect(try await server.commit("b", "c", "a") == new)
      for (target, answer) in zip(targets, before) {
        #expect(try await server.get(target).lasting == answer, "\(target)")
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func rangeWithoutFullCursorsMustBeRevalidated(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let old = try await server.commit("a")
      _ = try await server.test.service.tag(try #require(TagName("spring")), of: .parks)
      let new = try await server.commit("b")
      for range in [
        "1", "\(old)", "head~1", "spring", "\(old)&to=2", "\(old)&to=head", "1&to=\(new)",
        "spring&to=\(new)", "head~1&to=2026-11-21T12:00:00Z",
      ] {
        let answer = try await server.get(Self.since + range)
        #expect(answer.status == 200, "\(range)")
        #expect(answer["ETag"]?.hasPrefix("\"\(new)") == true, "\(range)")
        #expect(answer["Cache-Control"] == "public, no-cache", "\(range)")
        #expect(answer["Content-Location"] == "\(Self.since)\(old)&to=\(new)", "\(range)")
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func clientWithTheNewestVersionGets304WithoutABody(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let cursor = try await server.commit("a")
      let pinned = "\(Self.since)\(cursor)&to=\(cursor)&fallback=snapshot"
      for tag in [
        "\"\(cursor)\"", "\"\(cursor)+gzip\"", "W/\"\(cursor)\"", "\"x\" , \"\(cursor)\"",
      ] {
        let answer = try await server.get(
          "\(Self.since)\(cursor)&fallback=snapshot", ["If-None-Match": tag])
        #expect(answer.status == 304, "\(tag)")
        #expect(answer.body.isEmpty)
        #expect(answer["ETag"] == "\"\(cursor)\"")
        #expect(answer["Cache-Control"] == "public, no-cache")
        #expect(answer["Vary"] == "Accept-Encoding")
        #expect(answer["Content-Location"] == pinned)
        #expect(answer["Content-Type"] == nil)
        #expect(answer["Content-Length"] == nil)
      }
      let other = try await server.commit("b")
      let answer = try await server.get(
        "\(Self.since)\(cursor)&fallback=snapshot", ["If-None-Match": "\"\(cursor)\""])
      #expect(answer.status == 200)
      #expect(answer["ETag"] == "\"\(other)\"")
    }
  }

  @Test(arguments: Transport.allCases)
  func everyRenderingIsServedUnderItsName(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let old = try await server.commit("a", "b", "c=1")
      let new = try await server.commit("c=2", "d", "a")
      let delta = try await server.test.service.delta(
        of: .parks, since: .cursor(old), to: .cursor(new))
      for rendering in Rendering.allCases {
        let target = "\(Self.since)\(old)&to=\(new)&as=\(rendering.rawValue)"
        let answer = try await server.get(target)
        #expect(answer.body == rendering.encode(delta), "\(rendering)")
        #expect(answer["ETag"] == "\"\(new)\"")
        #expect(answer["Content-Location"] == target)
        let type = rendering == .jsonPatch ? "application/json-patch+json" : "application/json"
        #expect(answer["Content-Type"] == type)
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func pagesEndOnRealVersionsAndTheirLinksLeadToTheEnd(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      var cursors = ["0-00000000000000000000000000000000"]
      for number in 1...6 {
        cursors.append("\(try await server.commit("a=\(number)", "b\(number)"))")
      }
      for start in ["\(Self.since)0&limit=4", "\(Self.since)0&limit=4&to=\(cursors[5])"] {
        var target: String? = start
        var list = Snapshot.empty
        var pageCount = 0
        while let page = target {
          let answer = try await server.get(page)
          let document = try DeltaDocument(answer.body)
          list = try document.applied(to: list)
          let end = try #require(document.to.cursor)
          #expect(cursors.contains("\(end)"))
          let tag = try #require(answer["ETag"])
          #expect(tag.hasPrefix("\"\(end)") && (tag == "\"\(end)\"") == !document.more)
          #expect(document.more == (answer.next != nil))
          #expect((answer["Content-Location"] == nil) == document.more)
          target = answer.next
          pageCount += 1
        }
        let end = start.contains("to=") ? 5 : 6
        #expect(list == (try .of("a=\(end)", "b\(end)")))
        #expect(pageCount > 2)
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func pageAndFinalAnswerOfOneRangeHaveDifferentTags(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await server.commit("a")
      let end = try await server.commit("b")
      let target = "\(Self.since)1&limit=1"
      let whole = try await server.get(target)
      #expect(try DeltaDocument(whole.body).more == false)
      #expect(whole["ETag"] == "\"\(end)\"")
      try await server.commit("c")
      let page = try await server.get(target, ["If-None-Match": "\"\(end)\""])
      #expect(page.status == 200)
      #expect(try DeltaDocument(page.body).more)
      let tag = try #require(page["ETag"])
      #expect(tag.hasPrefix("\"\(end)+"))
      try await server.get(target, ["If-None-Match": tag]).expect(status: 304)
      let written = try await server.put("/v1/lists/parks", ["If-Match": tag], "[]")
      try written.expectProblem("precondition-failed", 412)
    }
  }

  @Test(arguments: Transport.allCases)
  func wholeListReplacesAMissingDeltaOnRequest(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let old = try await server.commit("a")
      try await server.commit("b")
      let new = try await server.commit("c")
      _ = try await server.test.service.prune(
        PruneRequest(list: .parks, rule: try #require(RetentionRule(keepLast: 1))))
      try await server.headCache.refresh()

      try await server.get("\(Self.since)\(old)").expectProblem("too-old", 410)
      try await server.get("\(Self.since)2-00000000000000000000000000000000").expectProblem(
        "too-old", 410)
      try await server.get("\(Self.since)3-00000000000000000000000000000000").expectProblem(
        "diverged", 409)
      try await server.get("\(Self.since)9-00000000000000000000000000000000").expectProblem(
        "diverged", 409)
      for (since, reason) in [
        ("\(old)", "too-old"), ("3-00000000000000000000000000000000", "diverged"),
        ("9-3f9a1c2b7d4000000000000000000000", "diverged"),
        ("0", "first"), ("0-00000000000000000000000000000000", "first"),
      ] {
        let answer = try await server.get("\(Self.since)\(since)&fallback=snapshot")
        #expect(answer.status == 200)
        #expect(answer.tagCursor == "\(new)")
        #expect(answer["Cache-Control"] == "public, no-cache")
        let document = try SnapshotDelta(answer.body)
        #expect(document.reason.rawValue == reason)
        #expect(document.snapshot == (try .of("c")))
      }
      let changes = try await server.get("\(Self.since)\(new)&fallback=snapshot")
      #expect(try changes.json["kind"]?.text == "changes")
    }
  }

  @Test(arguments: Transport.allCases)
  func refusalNamesTheHeadAndTheOldestVersion(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let old = try await server.commit("a")
      let new = try await server.commit("b")
      _ = try await server.test.service.prune(
        PruneRequest(list: .parks, rule: try #require(RetentionRule(keepLast: 1))))
      try await server.headCache.refresh()
      for since in ["\(old)", "2-00000000000000000000000000000000", "9"] {
        let problem = try await server.get(Self.since + since).json
        #expect(problem["head"]?.text == "\(new)", "\(since)")
        #expect(problem["oldest"]?.number == 2, "\(since)")
        #expect(problem["snapshot"]?.text == "../parks", "\(since)")
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func smallerWholeListReplacesADeltaOnRequest(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await server.commit("a", "b", "c", "d", "e", "f", "g")
      try await server.commit("x")
      let answer = try await server.get("\(Self.since)1&smaller=true")
      #expect(try SnapshotDelta(answer.body).reason == .smaller)
      for rest in ["", "&smaller=false"] {
        #expect(try await server.get("\(Self.since)1\(rest)").json["kind"]?.text == "changes")
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func invalidQueryIsRefusedWithTheReason(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await server.commit("a")
      for query in [
        "", "?since=", "?since", "?to=1", "?since=1&since=1", "?since=1&sinse=1", "?since=%zz",
        "?since=%ff", "?since=1&limit=0", "?since=1&limit=-1", "?since=1&limit=1e3",
        "?since=1&limit=2147483648", "?since=1&limit=99999999999999999999", "?since=1&as=",
        "?since=1&as=xml", "?since=1&as=batch&fallback=snapshot", "?since=1&as=batch&smaller=true",
        "?since=1&fallback=delta", "?since=1&smaller=yes", "?since=1&wait=61", "?since=1&wait=-1",
        "?since=1&to=1&wait=1", "?since=\u{2603}", "?=1", "?since=1&=",
      ] {
        let answer = try await server.get(
          "/v1/lists/parks/delta\(query.addingEscapes)")
        try answer.expectProblem("invalid-request", 400)
      }
      for since in ["2", "head~2", "9223372036854775807"] {
        try await server.get(Self.since + since).expectProblem("no-such-version", 404)
      }
    }
  }
}

extension ClientAnswer {
  /// The parts of an answer that are the same for every request.
  var lasting: ClientAnswer {
    let passing: Set = ["x-request-id", "date"]
    return ClientAnswer(
      status: status, headers: headers.filter { !passing.contains($0.name.lowercased()) },
      body: body)
  }
}

extension String {
  /// The text with bytes escaped that a request line cannot hold.
  fileprivate var addingEscapes: String {
    utf8.map { $0 < 0x80 ? String(UnicodeScalar($0)) : "%" + String($0, radix: 16) }.joined()
  }
}
