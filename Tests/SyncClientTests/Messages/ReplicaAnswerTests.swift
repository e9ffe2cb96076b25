import ListDocuments
import ListModel
import Testing

@testable import SyncClient

@Suite struct ReplicaAnswerTests {
  private let server = MachineFixture.server
  private let request = ReplicaRequest(
    number: 1, list: ModelServer.list, purpose: .catchUp,
    since: MachineFixture.server.history[1].cursor)

  private func answer(
    _ status: Int, _ headers: [String: String] = [:], _ body: String = ""
  ) -> ReplicaAnswer {
    ReplicaAnswer(
      ReplicaResponse(status: status, headers: headers, body: Array(body.utf8)), to: request)
  }

  @Test func documentsOfBothKindsAreRead() {
    let changes = server.changes(from: 1, to: 2)
    let whole = server.whole(.tooOld)
    #expect(
      ReplicaAnswer(.init(status: 200, body: changes.encoded()), to: request) == .changes(changes))
    #expect(
      ReplicaAnswer(.init(status: 200, body: whole.encoded()), to: request) == .snapshot(whole))
  }

  @Test func documentThatIsCutOffAnywhereIsDamaged() {
    let body = server.changes(from: 1, to: 2).encoded()
    for count in 0..<body.count - 2 {
      let response = ReplicaResponse(status: 200, body: Array(body.prefix(count)))
      guard case .damaged(.document) = ReplicaAnswer(response, to: request) else {
        Issue.record("cut off after \(count) bytes")
        continue
      }
    }
  }

  @Test func wholeListWithAWrongRootIsDamaged() {
    let text = String(decoding: server.whole(.tooOld).encoded(), as: UTF8.self)
      .replacing("\"value\":1", with: "\"value\":2")
    guard case .damaged(.document(.wrongResult)) = answer(200, [:], text) else {
      Issue.record("\(answer(200, [:], text))")
      return
    }
  }

  /// The request is therefore tried again.
  @Test func loginPageOfANetworkIsUnavailableAndNotFromTheServer() {
    let login = answer(200, ["Content-Type": "text/html; charset=utf-8"], "<html></html>")
    #expect(login == .unavailable(.notFromServer(contentType: "text/html; charset=utf-8")))
  }

  @Test(arguments: [
    #""2-00000000abcd00000000000000000000""#, #"W/"2-00000000abcd00000000000000000000""#,
    #""2-00000000abcd00000000000000000000+gzip""#,
  ])
  func cursorOfAStrongWeakOrCodedEntityTagIsRead(tag: String) {
    #expect(
      answer(304, ["ETag": tag]) == .notModified(Cursor("2-00000000abcd00000000000000000000")))
  }

  @Test func notModifiedHasNoCursorWithoutAValidEntityTag() {
    #expect(answer(304) == .notModified(nil))
    #expect(answer(304, ["ETag": "x"]) == .notModified(nil))
  }

  @Test func refusalsHaveANameAndTheTextOfTheServer() {
    let problem = #"{"type":"urn:listsync:problem:x","title":"T","detail":"D"}"#
    #expect(
      answer(400, [:], #"{"type":7,"title":"T","detail":[]}"#)
        == .refused(.refused(status: 400, type: nil, detail: "T")))
    #expect(
      answer(400, [:], #"{"type":"a","type":"b"}"#)
        == .refused(.refused(status: 400, type: nil, detail: nil)))
    #expect(answer(401, [:], problem) == .refused(.unauthenticated(detail: "D")))
    #expect(answer(403) == .refused(.forbidden(detail: nil)))
    #expect(answer(404, [:], #"{"title":"T"}"#) == .refused(.noSuchList(request.list, detail: "T")))
    #expect(
      answer(400, [:], problem)
        == .refused(.refused(status: 400, type: "urn:listsync:problem:x", detail: "D")))
    #expect(answer(302) == .refused(.refused(status: 302, type: nil, detail: nil)))
    for (location, place) in [
      ("https://b.example/lists/v1/lists/\(request.list)/delta?since=0", "https://b.example/lists"),
      ("https://b.example/\(request.list)/head.json", "https://b.example"),
      ("https://b.example/login", "https://b.example/login"), ("/v1/", "/v1/"),
    ] {
      let detail = "it has moved to \(place)"
      #expect(
        answer(301, ["Location": location])
          == .refused(.refused(status: 301, type: nil, detail: detail)))
    }
    #expect(answer(501) == .refused(.refused(status: 501, type: nil, detail: nil)))
  }

  @Test func goneListIsRefusedForGoodWithItsNewName() {
    let problem = #"{"type":"urn:listsync:problem:gone","detail":"D","new_name":"rivers"}"#
    #expect(
      answer(410, [:], problem)
        == .refused(.gone(request.list, newName: ListName("rivers"), detail: "D")))
    #expect(
      answer(410, [:], #"{"type":"urn:listsync:problem:gone"}"#)
        == .refused(.gone(request.list, newName: nil, detail: nil)))
  }

  @Test func refusedFallbackMeansThatThereIsNoDelta() {
    func problem(_ name: String) -> String { #"{"type":"urn:listsync:problem:\#(name)"}"# }
    #expect(answer(410, [:], problem("too-old")) == .noDelta(.tooOld))
    #expect(answer(409, [:], problem("diverged")) == .noDelta(.diverged))
    #expect(answer(404, [:], problem("no-such-version")) == .noDelta(.diverged))
    #expect(answer(410) == .refused(.refused(status: 410, type: nil, detail: nil)))
  }

  /// The request is tried again.
  @Test(arguments: [408, 425, 429, 500, 502, 503, 504, 507, 599])
  func temporaryFailureIsUnavailableAndRetryAfterIsReadInSeconds(status: Int) {
    let cause = Unavailability.status(status, detail: nil)
    #expect(answer(status, ["Retry-After": "7"]) == .unavailable(cause, retryAfterSeconds: 7))
    for text in ["", "-1", "7.5", "Fri, 31 Dec 1999 23:59:59 GMT", "99999999999999999999"] {
      #expect(answer(status, ["Retry-After": text]) == .unavailable(cause))
    }
  }

  @Test(arguments: [
    Limit.items, .itemBytes, .idBytes, .depth,
  ])
  func listAboveAClientLimitIsRefusedWithThatLimitAndNotAsDamage(limit: Limit) throws {
    var server = ModelServer()
    let content = try Content(json: #"{"id":"aa","deep":[[1]]}"#)
    server.commit(
      Snapshot(uniqueItems: [
        Item(id: "aa", content: content), Item(id: "bb", content: content),
      ]))
    let limits = try Limits(environment: [limit.variable: "1"])
    for body in [
      server.whole(.first, from: .zero).encoded(), server.changes(from: 0, to: 1).encoded(),
    ] {
      let answer = ReplicaAnswer(
        ReplicaResponse(status: 200, body: body), to: request, limits: limits)
      guard case .refused(.overLimit(let exceeded)) = answer else {
        Issue.record("\(answer)")
        continue
      }
      #expect(exceeded.limit == limit)
    }
  }
}
