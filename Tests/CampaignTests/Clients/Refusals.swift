import HTTPTypes
import Hummingbird
import ListModel
import ListStore
import NIOCore
import StoreTestSupport
import SyncService
import Testing

@testable import SyncServer

/// The server's answers when it cannot, or must not, give a list.
struct Refusals: Sendable {
  /// The list needs a token.
  let guarded: WireAnswer
  /// The list does not exist.
  let missing: WireAnswer
  let busy: WireAnswer
  let failing: WireAnswer
  /// A page of the network's own, such as a login page.
  let portal = WireAnswer(
    status: 200, headers: ["content-type": "text/html"], body: Array("<p>Log in</p>".utf8))

  init() async throws {
    let target = "/v1/lists/\(LiveServer.lists[0])/delta?since=0&fallback=snapshot"
    let empty = try TestStore()
    missing = try await Self.answer(target, from: empty)
    let everything = try #require(ListPattern("*"))
    _ = try await empty.service.makeToken(
      named: try #require(TokenName("reader")), grants: [AccessGrant(.read, everything)])
    guarded = try await Self.answer(target, from: empty)
    busy = try await Self.answer(StoreError.busy)
    failing = try await Self.answer(StoreError.database(reason: "it failed"))
  }

  private static func answer(_ target: String, from test: TestStore) async throws -> WireAnswer {
    let process = ServerProcess(test.service)
    try await process.notice()
    return try await process.answer(target, [])
  }

  private static func answer(_ error: StoreError) async throws -> WireAnswer {
    let head = HTTPRequest(method: .get, scheme: "http", authority: "simulated", path: "/")
    let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    let answer = Problem(error).answer(requestID: "simulated", from: "/")
    return try await WireAnswer(answer.response(to: request, isPublic: true))
  }
}
