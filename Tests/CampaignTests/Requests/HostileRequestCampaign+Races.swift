import ListDocuments
import ListModel
import TestSupport
import Testing

/// Writers that all start from the same version.
extension HostileRequestCampaign {
  @Test(.timeLimit(.minutes(Hang.minutes)))
  func exactlyOneOfManyConcurrentWritersFromOneVersionWins() async throws {
    let server = try serve()
    let port = try await server.port()
    _ = try await Self.send("PUT", #"[{"id":"first"}]"#, on: "If-None-Match: *", port: port)
    let rounds = Self.campaign.rounds(6, long: 200)
    for round in 1...rounds {
      let head = try #require(try await Self.get("/v1/lists/parks", port: port).first)
      let tag = try #require(head.header("etag"))
      let list = try SnapshotReader(options: SnapshotOptions()).read(head.body).snapshot
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for writer in 0..<8 {
          let item = Item(
            id: ItemID("r\(round)w\(writer)"),
            content: try Content(json: "{\"id\":\"r\(round)w\(writer)\"}"))
          let (method, body) =
            writer % 2 == 0
            ? ("PATCH", try Self.delta(from: list, adding: item))
            : ("PUT", "[{\"id\":\"r\(round)w\(writer)\"}]")
          group.addTask {
            try await Self.send(method, body, on: "If-Match: \(tag)", port: port)
          }
        }
        return try await group.reduce(into: [Int]()) { $0.append($1) }
      }
      #expect(statuses.count { $0 == 201 } == 1, "round \(round): \(statuses)")
      #expect(statuses.allSatisfy { $0 == 201 || $0 == 412 }, "round \(round): \(statuses)")
    }
    let log = try #require(
      try await Self.get("/v1/lists/parks/versions?limit=1000", port: port).first)
    #expect(try JSONValue(parsing: log.body).elements?.count == rounds + 1)
    Self.campaign.report("\(rounds) races of 8 writers, one winner each")
  }

  /// A delta document that adds one item at the end of a list.
  private static func delta(from list: Snapshot, adding item: Item) throws -> String {
    let count = list.items.count
    let longer = try Snapshot(list.items + [item])
    return """
      {"format":"list-delta/1","kind":"changes",
      "from":{"count":\(count),"root":"\(Root(of: list))"},
      "to":{"count":\(count + 1),"root":"\(Root(of: longer))"},
      "removed":[],"moved":[],"updated":[],
      "inserted":[{"id":"\(item.id.text)","to":\(count),"content":\(item.content)}]}
      """
  }

  /// The status of a commit to the parks.
  static func send(
    _ method: String, _ body: String, on condition: String, port: Int
  ) async throws -> Int {
    let head =
      "\(method) /v1/lists/parks HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      + "\(condition)\r\n"
    let answers = try await send(
      "\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)", port: port)
    return try #require(answers.first?.status)
  }
}
