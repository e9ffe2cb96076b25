import ListDocuments
import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncServer

/// The promises to clients, over HTTP: a client that applies its answers has the list.
@Suite struct CatchUpTests {
  /// A client that uses only the public protocol.
  private struct Replica {
    var snapshot = Snapshot.empty
    var cursor = "0-00000000000000000000000000000000"

    mutating func apply(_ body: [UInt8]) throws -> (more: Bool, isWhole: Bool) {
      switch try CatchUpAnswer<DeltaDocument>(body) {
      case .changes(let document):
        snapshot = try document.applied(to: snapshot)
        cursor = try #require(document.to.cursor?.description)
        return (document.more, false)
      case .snapshot(let document):
        snapshot = document.snapshot
        cursor = try #require(document.to.cursor?.description)
        return (false, true)
      }
    }
  }

  /// Asks according to the contract, until there are no more changes.
  private func catchUp(
    _ replica: inout Replica, _ server: TestServer, _ random: inout SeededRandom
  ) async throws {
    while true {
      var target = "/v1/lists/parks/delta?since=\(replica.cursor)&fallback=snapshot"
      if random.chance(2) { target += "&limit=\(random.number(1...20))" }
      if random.chance(3) { target += "&smaller=true" }
      let answer = try await server.get(target, ["If-None-Match": "\"\(replica.cursor)\""])
      if answer.status == 304 { return }
      answer.expect(status: 200)
      let (more, _) = try replica.apply(answer.body)
      #expect(answer.tagCursor == "\(replica.cursor)")
      if let next = answer.next {
        #expect(next.contains("since=\(replica.cursor)&"))
        #expect(more)
      }
      if !more { return }
    }
  }

  /// The clients come and go at random.
  @Test(arguments: Transport.allCases)
  func clientsEndWithTheExactListDespiteCommitsAndPruning(_ transport: Transport) async throws {
    var random = SeededRandom.forThisRun()
    let seed = random.seed
    try await TestServer.run(transport) { server in
      var history = TestHistory(server.test)
      try await history.commit(try history.newItems(10))
      var replicas = Array(repeating: Replica(), count: 4)
      for _ in 0..<40 {
        try await history.commitEdits(random.size(upTo: 30), &random)
        if random.chance(6) {
          let rule = try #require(RetentionRule(keepLast: random.number(1...5)))
          _ = try await server.test.service.prune(PruneRequest(list: .parks, rule: rule))
        }
        try await server.headCache.refresh()
        let index = random.number(0...3)
        try await catchUp(&replicas[index], server, &random)
        #expect(replicas[index].snapshot == history.snapshots[history.head.number], "seed \(seed)")
      }
      for index in replicas.indices {
        try await catchUp(&replicas[index], server, &random)
        #expect(replicas[index].snapshot == history.snapshots[history.head.number], "seed \(seed)")
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func deltaLeadsExactlyFromAnyVersionToAnyOtherAndByPages(_ transport: Transport) async throws {
    var random = SeededRandom.forThisRun()
    let seed = random.seed
    try await TestServer.run(transport) { server in
      var history = TestHistory(server.test)
      for _ in 0..<12 { try await history.commitEdits(random.number(1...8), &random) }
      try await server.headCache.refresh()
      for (from, to) in history.randomPairs(40, &random) {
        var list = history.snapshots[from]
        let target = "/v1/lists/parks/delta?since=\(from)&to=\(to)&limit=\(random.number(1...9))"
        for answer in try await server.pages(from: target) {
          list = try DeltaDocument(answer.body).applied(to: list)
        }
        #expect(list == history.snapshots[to], "\(from) to \(to), seed \(seed)")
      }
    }
  }

  @Test(
    arguments: Transport.allCases
  )
  func writersThatRetryUntilAcceptedLoseNoChange(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await server.put("/v1/lists/parks", ["If-None-Match": "*"], "[]").expect(status: 200)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<4 {
          group.addTask {
            for number in 0..<5 {
              while true {
                let head = try await server.get("/v1/lists/parks")
                let items = try #require(try head.json.elements).compactMap { $0["id"]?.text }
                let list = (items + ["\(writer)-\(number)"]).map { #"{"id":"\#($0)"}"# }
                let answer = try await server.put(
                  "/v1/lists/parks", ["If-Match": try #require(head["ETag"])],
                  "[\(list.joined(separator: ","))]")
                if answer.status == 201 { break }
                try answer.expectProblem("precondition-failed", 412)
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let snapshot = try await server.test.service.snapshot(of: .parks).snapshot
      #expect(snapshot.items.count == 20)
      #expect(try await server.test.service.log(of: .parks).count == 20)
    }
  }

  @Test(arguments: Transport.allCases)
  func waitingRequestGetsTheNextVersionAtOnce(_ transport: Transport) async throws {
    try await TestServer.run(transport, clock: ManualClock()) { server in
      let cursor = try await server.commit("a")
      let target = "/v1/lists/parks/delta?since=\(cursor)&fallback=snapshot"
      async let answer = server.get("\(target)&wait=60", ["If-None-Match": "\"\(cursor)\""])
      try await eventually("it waits") { server.headCache.watcherCount == 1 }
      let other = try await server.commit("b")
      #expect(try await answer["ETag"] == "\"\(other)\"")
      // A client that lacks a version does not wait.
      for since in ["\(cursor)", "1", "0", "head~1", "1-00000000000000000000000000000000"] {
        let late = "/v1/lists/parks/delta?since=\(since)&fallback=snapshot&wait=60"
        #expect(try await server.get(late).tagCursor == "\(other)")
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func requestWithoutNewsEndsAsUnchangedAfterItsWait(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let cursor = try await server.commit("a")
      for since in ["\(cursor)", "1", "head"] {
        let target = "/v1/lists/parks/delta?since=\(since)&wait=0"
        let unchanged = try await server.get(target, ["If-None-Match": "\"\(cursor)\""])
        unchanged.expect(status: 304)
      }
      let unasked = try await server.get("/v1/lists/parks/delta?since=\(cursor)&wait=1")
      unasked.expect(status: 200)
      let delta = try DeltaDocument(unasked.body)
      #expect(delta.from == delta.to)
    }
  }
}
