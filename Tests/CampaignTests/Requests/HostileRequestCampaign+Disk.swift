import Foundation
import TestSupport
import Testing

/// A disk that fills up under a running server.
extension HostileRequestCampaign {
  @Test(
    .enabled(if: SmallDisk.isAllowed, "skipped: a small disk cannot be mounted here"),
    .timeLimit(.minutes(Hang.minutes)))
  func serverOnAFullDiskStillServesReadsAndCommitsAgainAfterRoomIsFreed() async throws {
    for round in 0..<Self.campaign.rounds(1, long: 10) { try await fillDisk(round) }
  }

  private func fillDisk(_ round: Int) async throws {
    let disk = try SmallDisk(kilobyteCount: 1_500)
    let store = disk.folder.appendingPathComponent("listsync.db").path
    let server = try ServerProgram(
      ["--idle-timeout", "1", "--max-body", "100000"], store: store)
    let port = try await server.port()
    var (keptCount, refusalCount) = (0, 0)
    for isFull in [false, true, false] {
      if isFull { try disk.fill() } else { disk.emptyOut() }
      for _ in 0..<8 {
        let text = String(repeating: "x", count: isFull ? 20_000 : 100)
        let status = try await Self.send(
          "PUT", "[{\"id\":\"v\(keptCount)\",\"text\":\"\(text)\"}]",
          on: keptCount == 0 ? "If-None-Match: *" : "If-Match: *", port: port)
        if status == 201 { keptCount += 1 } else { refusalCount += 1 }
        #expect(status == 201 || isFull && status == 507, "\(status)")
      }
      let tally = HostileTally()
      try await attack(port, part: 3_000 + 100 * round + keptCount, rounds: 10, tally)
      keptCount += tally.locations.count { $0.hasPrefix("/v1/lists/parks/") }
      let head = try #require(try await Self.get("/v1/lists/parks", port: port).first)
      #expect(head.status == 200)
      let log = try #require(
        try await Self.get("/v1/lists/parks/versions?limit=1000", port: port).first)
      // A commit whose answer was cut off may be stored as well.
      #expect(try JSONValue(parsing: log.body).elements?.count ?? 0 >= keptCount)
      keptCount = try JSONValue(parsing: log.body).elements?.count ?? 0
    }
    #expect(refusalCount > 0)
    server.signal(SIGTERM)
    #expect(try await server.end() == 0)
    try await Self.verify(store)
    Self.campaign.report("full disk: \(keptCount) versions kept, \(refusalCount) refused")
  }
}
