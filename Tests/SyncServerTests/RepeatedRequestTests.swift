import ListChanges
import ListDocuments
import ListModel
import StoreTestSupport
import TestSupport
import Testing

@testable import SyncServer

/// Programs that follow the rules of Documentation/Server.md while three of ten answers are lost.
@Suite struct RepeatedRequestTests {
  /// How a program writes the list with the next number in it.
  enum Form: CaseIterable, Sendable {
    case putOfTheList, patch, patchWithoutEnd, putOfTheItem
  }

  /// A program that repeats a request until it gets an answer.
  private struct Writer {
    let author: String
    var doneCount = 0
    /// The request whose answer it waits for.
    var pending: ClientRequest?
    /// What the request does if it is carried out.
    var wanted = ""
  }

  private static let list = "/v1/lists/parks"
  private static let dropPercentage = 30

  /// Sends a writer's request, whose answer may be lost.
  ///
  /// - Returns: whether the writer's change was made; nil if it does not know yet.
  private func send(
    _ writer: inout Writer, _ server: TestServer, _ random: inout SeededRandom
  ) async throws -> Bool? {
    guard let request = writer.pending else { return nil }
    let answer = try await server.send(request)
    if Int.random(in: 0..<100, using: &random) < Self.dropPercentage { return nil }
    writer.pending = nil
    if answer.status == 412 { return false }
    #expect([200, 201].contains(answer.status), "\(answer.text)")
    return try answer.json["outcome"]?.text != "unchanged"
  }

  private func content(_ number: Int) -> String { #"{"id":"n","value":\#(number)}"# }

  /// The request that makes the number one larger.
  private func increment(
    _ form: Form, _ author: String, _ server: TestServer
  ) async throws -> ClientRequest {
    let answer = try await server.get(Self.list)
    if answer.status == 404 {
      return ClientRequest(
        method: "PUT", target: "\(Self.list)?author=\(author)",
        headers: [Header("If-None-Match", "*")], body: Array("[\(content(1))]".utf8))
    }
    let tag = try #require(answer["ETag"])
    let number = Int(try #require(try answer.json.elements?.first?["value"]?.number)) + 1
    var request = ClientRequest(
      method: "PUT", target: "\(Self.list)?author=\(author)", headers: [Header("If-Match", tag)])
    switch form {
    case .putOfTheList: request.body = Array("[\(content(number))]".utf8)
    case .putOfTheItem:
      request.target = "\(Self.list)/items/n?author=\(author)"
      request.body = Array(content(number).utf8)
    case .patch, .patchWithoutEnd:
      func snapshot(_ number: Int) throws -> Snapshot {
        try Snapshot([Item(id: "n", content: try Content(json: content(number)))])
      }
      let (old, new) = (try snapshot(number - 1), try snapshot(number))
      let from = ListState(
        cursor: Cursor(tag.trimmingQuotes), count: 1, root: ListState(of: old).root)
      let delta = Delta(
        list: .parks, from: from, to: ListState(of: new), oldest: nil,
        changes: old.changes(to: new))
      var document = String(decoding: DeltaDocument(delta).encoded(), as: UTF8.self)
      if form == .patchWithoutEnd { document.replace("\"to\":{", with: "\"ignored\":{") }
      (request.method, request.body) = ("PATCH", Array(document.utf8))
    }
    return request
  }

  /// A former fault: a third more, since a writer that was told of another version made its change
  /// again; a sixth less if it counted each 200.
  @Test(arguments: Form.allCases)
  func twoWritersWhoAddOneTwentyTimesEachEndAt40(_ form: Form) async throws {
    var random = SeededRandom.forThisRun()
    try await TestServer.run(.inProcess) { server in
      var writers = [Writer(author: "ann"), Writer(author: "ben")]
      while writers.contains(where: { $0.doneCount < 20 }) {
        let index = Int.random(in: 0..<2, using: &random)
        guard writers[index].doneCount < 20 else { continue }
        if writers[index].pending == nil {
          writers[index].pending = try await increment(form, writers[index].author, server)
        } else if try await send(&writers[index], server, &random) == true {
          writers[index].doneCount += 1
        }
      }
      let number = try await server.get(Self.list).json.elements?.first?["value"]?.number
      #expect(number == 40, "seed \(random.seed)")
    }
  }

  /// Each writer takes the first ticket of the list until there is none.
  @Test func ticketThatTwoWritersRemoveIsOfOneOfThem() async throws {
    var random = SeededRandom.forThisRun()
    try await TestServer.run(.inProcess) { server in
      let tickets = (0..<60).map { "t\($0)" }
      _ = try await server.put(
        Self.list, ["If-None-Match": "*"],
        "[\(tickets.map { #"{"id":"\#($0)"}"# }.joined(separator: ","))]")
      var (writers, taken) = ([Writer(author: "ann"), Writer(author: "ben")], [String]())
      while taken.count < tickets.count {
        let index = Int.random(in: 0..<2, using: &random)
        if writers[index].pending == nil {
          let answer = try await server.get(Self.list)
          guard let first = try answer.json.elements?.first?["id"]?.text else {
            if writers.allSatisfy({ $0.pending == nil }) { break }
            continue
          }
          writers[index].wanted = first
          writers[index].pending = ClientRequest(
            method: "DELETE", target: "\(Self.list)/items/\(first)?author=\(writers[index].author)",
            headers: [Header("If-Match", try #require(answer["ETag"]))])
        } else if try await send(&writers[index], server, &random) == true {
          taken.append(writers[index].wanted)
        }
      }
      #expect(taken.sorted() == tickets.sorted(), "seed \(random.seed)")
    }
  }

  @Test(arguments: Transport.allCases)
  func answerTellsTheOwnCommitFromAnEqualOneAndNamesItsVersion(
    _ transport: Transport
  ) async throws {
    try await TestServer.run(transport) { server in
      let start = "\"\(try await server.commit("a"))\""
      func put(_ author: String) async throws -> ClientAnswer {
        try await server.put("\(Self.list)?author=\(author)", ["If-Match": start], #"[{"id":"b"}]"#)
      }
      let made = try await put("ann")
      made.expect(status: 201)
      _ = try await server.commit("c")
      for (author, outcome) in [("ann", "repeated"), ("ben", "unchanged")] {
        let answer = try await put(author)
        answer.expect(status: 200)
        #expect(try answer.json["outcome"]?.text == outcome)
        #expect(try answer.json["head"] == made.json["head"])
        #expect(answer["ETag"] == made["ETag"], "the version of the request, not the newest")
        #expect(answer["Location"] == nil)
      }
      let other = try await server.put(Self.list, ["If-Match": start], #"[{"id":"d"}]"#)
      try other.expectProblem("precondition-failed", 412)
      #expect(try await server.get("\(Self.list)/versions").json.elements?.count == 3)
    }
  }
}

extension String {
  fileprivate var trimmingQuotes: String { replacing("\"", with: "") }
}
