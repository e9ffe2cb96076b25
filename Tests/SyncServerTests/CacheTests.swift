import ListModel
import Logging
import StoreTestSupport
import SyncService
import Synchronization
import TestSupport
import Testing

@testable import SyncServer

@Suite struct AnswerCacheTests {
  private func key(_ text: String) -> AnswerCache.Key {
    AnswerCache.Key(
      request: text, head: Cursor(version: .zero, chain: .zero), oldest: Version(1))
  }

  private func answer(_ byteCount: Int) -> Answer {
    .json(Array(repeating: 0, count: byteCount))
  }

  /// Requests an answer, and returns whether it was made.
  private func isMade(
    _ answer: Answer, for text: String, _ cache: AnswerCache, isOfKey: Bool = true
  ) async throws -> Bool {
    let isMade = Mutex(false)
    _ = try await cache.answer(for: key(text)) {
      isMade.withLock { $0 = true }
      return AnswerCache.Made(answer: answer, isOfKey: isOfKey)
    }
    return isMade.withLock { $0 }
  }

  @Test func cacheNeverExceedsItsByteLimitAndKeepsTheLastUsedAnswers() async throws {
    let cache = AnswerCache(byteLimit: 100_000)
    #expect(try await isMade(answer(1000), for: "first", cache))
    for number in 0..<1000 {
      #expect(try await isMade(answer(1000), for: "\(number)", cache))
      #expect(cache.byteCount <= 100_000)
      #expect(try await !isMade(answer(1000), for: "first", cache))
      #expect(try await !isMade(answer(1000), for: "\(number)", cache))
    }
    #expect(cache.byteCount > 50_000)
    #expect(try await isMade(answer(1000), for: "0", cache))
  }

  @Test func streamsAndAnswersAboveAQuarterOfTheCacheAreNotCached() async throws {
    let cache = AnswerCache(byteLimit: 100_000)
    #expect(try await isMade(answer(20_000), for: "large", cache))
    #expect(try await isMade(Answer(body: .stream { _ in }), for: "stream", cache))
    // The task that made the answer holds it, and so shares it, until the system has ended it.
    try await eventually("the large answer is made again") {
      try await isMade(answer(20_000), for: "large", cache)
    }
    #expect(try await isMade(Answer(body: .stream { _ in }), for: "stream", cache))
    #expect(cache.byteCount == 0)
  }

  @Test func answerThatNoLongerFitsItsKeyIsReturnedButNotCached() async throws {
    let cache = AnswerCache(byteLimit: 100_000)
    #expect(try await isMade(answer(10), for: "late", cache, isOfKey: false))
    #expect(try await isMade(answer(10), for: "late", cache))
    #expect(try await !isMade(answer(10), for: "late", cache))
  }
}

/// Answers are made once, and wrong ones are never given.
@Suite struct CacheTests {
  private static let settled = [
    "/v1/lists/parks", "/v1/lists/parks/versions/1", "/v1/lists/parks/versions/head~1",
    "/v1/lists/parks/delta?since=1", "/v1/lists/parks/delta?since=1&to=2",
    "/v1/lists/parks/delta?since=0&fallback=snapshot", "/v1/lists/parks/delta?since=1&limit=1",
    "/v1/lists/parks/delta?since=head~1&as=batch",
  ]

  @Test(arguments: Transport.allCases)
  func secondPollIsAnsweredWithoutTheStore(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await server.commit("a")
      try await server.commit("a", "b")
      let newest = try await server.commit("c")
      for target in Self.settled {
        let first = try await server.get(target)
        first.expect(status: 200)
        let count = server.store.counts.reads
        #expect(try await server.get(target).lasting == first.lasting)
        let tag = try #require(first["ETag"])
        _ = try await server.get(target, ["If-None-Match": tag])
        _ = try await server.send("HEAD", target)
        #expect(server.store.counts.reads == count, "\(target)")
      }
      let count = server.store.counts.reads
      let poll = "/v1/lists/parks/delta?since=\(newest)&fallback=snapshot"
      _ = try await server.get(poll, ["If-None-Match": "\"\(newest)\""])
      for _ in 0..<10 {
        try await server.get(poll, ["If-None-Match": "\"\(newest)\""]).expect(status: 304)
      }
      _ = try await server.get("/v1/lists")
      #expect(server.store.counts.reads == count + 1)
      #expect(server.store.counts.writes == 0)
    }
  }

  @Test(arguments: Transport.allCases)
  func noAnswerIsStaleAfterACommitPruningOrMovedTag(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let spring = try #require(TagName("spring"))
      try await server.commit("a")
      _ = try await server.test.service.tag(spring, of: .parks)
      try await server.commit("a", "b")
      let byTag = [
        "/v1/lists/parks/versions/spring", "/v1/lists/parks/delta?since=spring",
        "/v1/lists/parks/delta?since=0&to=spring", "/v1/lists/parks/versions/2026-11-21",
      ]
      for step in 0..<4 {
        switch step {
        case 0: break
        case 1: try await server.commit("b", "c=1", "a")
        case 2: _ = try await server.test.service.tag(spring, of: .parks, isForced: true)
        default:
          _ = try await server.test.service.prune(
            PruneRequest(list: .parks, rule: try #require(RetentionRule(keepLast: 1))))
          try await server.headCache.refresh()
        }
        // A server without a cache.
        let headCache = HeadCache(service: server.test.service)
        try await headCache.refresh()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let fresh = InProcessClient(
          responder: SyncServer(service: server.test.service, headCache: headCache, logger: logger)
            .responder(),
          logger: logger)
        for target in Self.settled + byTag {
          let expected = try await fresh.send(ClientRequest(method: "GET", target: target))
          for _ in 0..<2 {
            let answer = try await server.get(target)
            #expect(answer.status == expected.status, "\(target) step \(step)")
            #expect(answer["ETag"] == expected["ETag"], "\(target) step \(step)")
            guard answer.status == 200 else { continue }
            #expect(answer.body == expected.body, "\(target) step \(step)")
          }
        }
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func answersOfManyRangesStayWithinTheByteLimit(_ transport: Transport) async throws {
    let settings = ServerSettings { $0.cacheByteLimit = 20_000 }
    try await TestServer.run(transport, settings: settings) { server in
      for number in 1...12 { try await server.commit("a=\(number)", "b") }
      for from in 1...12 {
        for to in 1...12 {
          try await server.get("/v1/lists/parks/delta?since=\(from)&to=\(to)").expect(status: 200)
          #expect(server.syncServer.cache.byteCount <= 20_000)
        }
      }
      #expect(server.syncServer.cache.byteCount > 10_000)
    }
  }
}
