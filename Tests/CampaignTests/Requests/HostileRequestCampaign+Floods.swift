import Foundation
import TestSupport
import Testing

/// Many costly requests at once, and what follows a refusal on its connection.
extension HostileRequestCampaign {
  /// The addresses of whole lists: distinct ones of few answers.
  private static func costlyTargets(_ count: Int) -> [String] {
    let lists = "/v1/lists/long"
    return (1...count).flatMap { number in
      [
        "\(lists)/delta?since=0&fallback=snapshot&limit=\(number)",
        "\(lists)/delta?since=7-0000000\(10_000 + number)&fallback=snapshot",
        "\(lists)/delta?since=0&as=batch&limit=\(number)",
        "\(lists)/delta?since=0&smaller=true&limit=\(number)",
        "\(lists)/versions/2030-01-01T00:00:\(10 + number % 50).\(number)Z",
        "\(lists)/bundle?since=0",
      ]
    }
  }

  private static func fill(_ port: Int, itemCount: Int) async throws {
    var body = "["
    for number in 0..<itemCount {
      body += "\(number == 0 ? "" : ",")\n{\"id\":\"item-\(number)\",\"text\":\"\(number * 7919)\"}"
    }
    body += "\n]"
    let statuses = [
      try await status(of: "PUT", "long", body, port: port),
      try await status(of: "PUT", "short", #"[{"id":"a"}]"#, port: port),
    ]
    #expect(statuses == [201, 201])
  }

  private static func status(
    of method: String, _ list: String, _ body: String, port: Int
  ) async throws -> Int {
    let head =
      "\(method) /v1/lists/\(list) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      + "If-None-Match: *\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
    let answers = try await send(head + body, port: port)
    return try #require(answers.first?.status)
  }

  /// Sends requests over a connection each, and closes all connections without reading.
  private static func abandon(_ targets: [String], port: Int) async throws {
    try await onThread {
      var wires: [Wire] = []
      for (index, target) in targets.enumerated() {
        let wire = try Wire(port: port)
        let coding = index.isMultiple(of: 2) ? "Accept-Encoding: gzip\r\n" : ""
        let version = index.isMultiple(of: 7) ? "1.0" : "1.1"
        try wire.write("GET \(target) HTTP/\(version)\r\nHost: localhost\r\n\(coding)\r\n")
        wires.append(wire)
      }
      Thread.sleep(forTimeInterval: 0.05)
    }
  }

  @Test(
    .enabled(if: isLinux, "skipped: only Linux reports the resources of a process"),
    .timeLimit(.minutes(Hang.minutes)))
  func floodOfAbandonedWholeListsDelaysNoOtherReaderAndLeavesNoWork() async throws {
    let itemCount = Self.campaign.rounds(20_000, long: 300_000)
    let server = try serve(["--max-body", "100000000"])
    let port = try await server.port()
    try await Self.fill(port, itemCount: itemCount)
    _ = try await Self.get("/v1/lists/long/delta?since=0&fallback=snapshot", port: port)
    let before = try #require(ServerCensus(of: server))
    try await Self.abandon(Self.costlyTargets(20), port: port)
    var slowest = Duration.zero
    for _ in 0..<5 {
      let (answers, duration) = try await Self.timedGet("/v1/lists/short", port: port)
      #expect(answers.first?.status == 200)
      slowest = max(slowest, duration)
    }
    // Making all 120 answers takes minutes on a list of 300,000 items.
    #expect(slowest < .seconds(3), "a reader of another list waited for \(slowest)")
    try await eventually("nobody's answers are made") {
      let start = ServerCensus(of: server)?.processorSeconds ?? 0
      try await Task.sleep(for: .milliseconds(500))
      return (ServerCensus(of: server)?.processorSeconds ?? .infinity) - start < 0.1
    }
    let after = try #require(ServerCensus(of: server))
    let seconds = after.processorSeconds - before.processorSeconds
    let growth = (after.residentByteCount - before.residentByteCount) >> 20
    #expect(seconds < 10 + Double(itemCount) / 10_000, "\(seconds) s for answers that nobody read")
    #expect(growth < 100 + itemCount / 1_000, "\(growth) MiB")
    Self.campaign.report(
      "120 abandoned whole lists of \(itemCount) items: another reader waited for at most "
        + "\(slowest), \(seconds) s of processor time, \(growth) MiB")
  }

  /// Whatever the refusal, a request behind it is carried out if and only if the refusal keeps the
  /// connection, and then it is answered.
  @Test(.timeLimit(.minutes(Hang.minutes)))
  func requestBehindARefusalIsCarriedOutOnlyIfItIsAnswered() async throws {
    let server = try serve()
    let port = try await server.port()
    let rounds = Self.campaign.rounds(30, long: 4_000)
    var (closed, kept) = (0, 0)
    for round in 0..<rounds {
      var random = Self.campaign.random(5_000 + round)
      var hostile = HostileRequest.sound(&random)
      if random.chance(2) { hostile.code(&random) } else { hostile.bend(&random) }
      // The list is new each time, so a request behind the refusal shows itself.
      let list = "behind-\(round)"
      let behind =
        "PUT /v1/lists/\(list) HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: *\r\n"
        + "Content-Length: 12\r\nConnection: close\r\n\r\n[{\"id\":\"a\"}]"
      let request = hostile.bytes + behind.utf8
      let bytes = try await onThread { () -> [UInt8] in
        let wire = try Wire(port: port)
        try wire.write(request)
        wire.endWriting()
        var bytes: [UInt8] = []
        while let next = try? wire.read(), !next.isEmpty { bytes += next }
        return bytes
      }
      let isMade = try await Self.get("/v1/lists/\(list)", port: port).first?.status == 200
      let text = String(decoding: bytes, as: UTF8.self)
      let isAnswered = text.contains("Location: \(list)/versions/")
      #expect(
        isMade == isAnswered,
        "seed \(Self.campaign.seed), round \(round): made \(isMade)\n\(text.prefix(2_000))")
      (closed, kept) = isMade ? (closed, kept + 1) : (closed + 1, kept)
    }
    #expect(closed > 0 && kept > 0)
    Self.campaign.report("\(rounds) requests behind others: \(kept) carried out, \(closed) not")
  }
}

extension HostileRequest {
  /// Gives the body a transfer coding that the server does not know, beside one that tells where
  /// the body ends.
  fileprivate mutating func code(_ random: inout SeededRandom) {
    lines.removeAll { $0.hasPrefix("Content-Length:") }
    let codings = ["gzip, chunked", "identity, chunked", "x, Chunked", "deflate , chunked"]
    lines.append("Transfer-Encoding: \(random.element(of: codings))")
    body = Array("2\r\n[]\r\n0\r\n\r\n".utf8)
  }
}
