import Foundation
import TestSupport
import Testing

/// TLS handshakes that end anywhere, and bytes that are no handshake.
extension HostileRequestCampaign {
  @Test(
    .enabled(if: isLinux, "skipped: only Linux reports the resources of a process"),
    .timeLimit(.minutes(Hang.minutes)))
  func serverSurvivesHandshakesThatEndAtAnyByte() async throws {
    let certificates = Project.root.appendingPathComponent("Tests/Fixtures/TLS")
    let (certificate, key) = (
      certificates.appendingPathComponent("certificate.pem").path,
      certificates.appendingPathComponent("key.pem").path
    )
    let server = try serve(["--tls-certificate", certificate, "--tls-key", key])
    let port = try await server.port()
    try await shakeHands(port, part: 2_000, rounds: 8)
    let before = try await settled(server)
    let rounds = Self.campaign.rounds(10, long: 2_000)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for part in 0..<8 {
        group.addTask { try await shakeHands(port, part: 2_100 + part, rounds: rounds) }
      }
      try await group.waitForAll()
    }
    let after = try await settled(server, after: before)
    #expect(after.residentByteCount < before.residentByteCount + 100 << 20)
    let address = "https://localhost:\(port)/readyz"
    let curl = ["curl", "-sf", "-o", "/dev/null", "--cacert", certificate, address]
    #expect(try await onThread { Command.succeeds(curl) }, "a sound handshake is refused")
    Self.campaign.report("\(8 * rounds) broken handshakes")
  }

  private func shakeHands(_ port: Int, part: Int, rounds: Int) async throws {
    let faults = try await onThread {
      var random = Self.campaign.random(part)
      var faults: [String] = []
      for _ in 0..<rounds {
        var hello = random.chance(8) ? HostileRequest.sound(&random).bytes : Self.hello(&random)
        if random.chance(2) { hello = Array(hello.prefix(random.number(0...hello.count))) }
        if random.chance(2), !hello.isEmpty {
          hello[random.number(0...hello.count - 1)] = UInt8(random.number(0...255))
        }
        let wire = try Wire(port: port)
        try? wire.write(hello)
        // If the client is silent, the server must end the connection.
        if !random.chance(10) { wire.endWriting() }
        let answer = (try? wire.readToEnd()) ?? []
        // Only TLS records: alerts, and the server's part of a handshake.
        if let first = answer.first, !(20...23).contains(first) {
          faults.append("\(answer.prefix(40)) to \(Data(hello).base64EncodedString())")
        }
      }
      return faults
    }
    for fault in faults { Issue.record("seed \(Self.campaign.seed): \(fault)") }
  }

  /// The first message of a client of TLS 1.3 (RFC 8446, 4.1.2).
  private static func hello(_ random: inout SeededRandom) -> [UInt8] {
    func sized(_ bytes: [UInt8], by count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) } + bytes
    }
    func entropy(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(random.number(0...255)) } }
    func extended(_ kind: UInt8, _ bytes: [UInt8]) -> [UInt8] { [0, kind] + sized(bytes, by: 2) }
    let extensions =
      extended(43, sized([3, 4, 3, 3], by: 1)) + extended(10, sized([0, 29], by: 2))
      + extended(13, sized([4, 3, 8, 4, 4, 1], by: 2))
      + extended(51, sized([0, 29] + sized(entropy(32), by: 2), by: 2))
    let message =
      [3, 3] + entropy(32) + sized(entropy(32), by: 1) + sized([0x13, 1, 0xc0, 0x2f], by: 2)
      + [1, 0] + sized(extensions, by: 2)
    return [22, 3, 1] + sized([1] + sized(message, by: 3), by: 2)
  }
}
