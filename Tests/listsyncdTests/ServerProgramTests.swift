import Foundation
import TestSupport
import Testing

/// The built program, asked by curl.
struct ServerProgramTests {
  private static let parks = #"[{"id":"zion","name":"Zion"},{"id":"acadia","name":"Acadia"}]"#

  /// A script that puts the parks where no list is yet.
  private static func put(_ address: String, _ options: String = "") -> String {
    "curl -s \(options) -X PUT -H 'If-None-Match: *' --data '\(parks)' \(address)/v1/lists/parks"
  }

  @Test("a server tells where it listens, and listsync works on its store at the same time")
  func sharesItsStore() async throws {
    let server = try ServerProgram()
    let address = try await server.address()
    let put = try await Shell.run(Self.put(address), in: server.folder)
    #expect(put.text.contains(#""outcome":"committed""#), "\(put.text)")
    let shown = try await Shell.listsync("show parks", in: server.folder)
    #expect(shown.contains(#""name":"Zion""#), "\(shown)")
    try Data(#"[{"id":"zion"}]"#.utf8).write(to: server.folder.appendingPathComponent("n.json"))
    let events = Task {
      try await Shell.run("curl -sN -m 3 \(address)/v1/lists/parks/events", in: server.folder)
    }
    try await Task.sleep(for: .milliseconds(500))
    _ = try await Shell.listsync("commit parks n.json", in: server.folder)
    let text = try await events.value.text
    #expect(text.contains("id: 1-") && text.contains("id: 2-"), "\(text)")
    let list = try await Shell.run("curl -s \(address)/v1/lists", in: server.folder)
    #expect(list.text.contains(#""version":2"#), "\(list.text)")
  }

  @Test("an address that other machines reach is refused without tokens, unless that is meant")
  func refusesOpenAddress() async throws {
    let refused = try ServerProgram(["--host", "0.0.0.0"])
    #expect(try await refused.end() == 2)
    #expect(refused.logText.contains("the store has no tokens"), "\(refused.logText)")
    let meant = try ServerProgram(["--host", "0.0.0.0", "--without-tokens"])
    #expect(try await meant.address().hasPrefix("http://0.0.0.0:"))
    let folder = try TemporaryFolder.make()
    _ = try await Shell.listsync("token create app --read '*'", in: folder)
    let protected = try ServerProgram(["--host", "0.0.0.0"], folder: folder)
    #expect(try await protected.address().hasPrefix("http://0.0.0.0:"))
  }

  @Test("a port that is taken, and files that are no certificate, are refused by name")
  func refusesUnusable() async throws {
    let first = try ServerProgram()
    let port = try #require(
      try await first.address().split(separator: ":").last.flatMap { Int($0) })
    let second = try ServerProgram(port: port)
    #expect(try await second.end() == 8)
    #expect(second.logText.contains("Address already in use"), "\(second.logText)")
    let third = try ServerProgram(["--tls-certificate", "listsync.db", "--tls-key", "listsync.db"])
    #expect(try await third.end() == 2)
    #expect(third.logText.contains("listsync.db has no certificate"), "\(third.logText)")
  }

  @Test("a certificate and its key make it https")
  func speaksTLS() async throws {
    let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fixtures/TLS")
    let certificate = fixtures.appendingPathComponent("certificate.pem").path
    let key = fixtures.appendingPathComponent("key.pem").path
    let server = try ServerProgram(["--tls-certificate", certificate, "--tls-key", key])
    let address = try await server.address()
    #expect(address.hasPrefix("https://"))
    let ready = try await Shell.run(
      "curl -s --cacert '\(certificate)' \(address)/readyz", in: server.folder)
    #expect(ready.text.contains("ready"), "\(ready)")
    let old = try await Shell.run(
      "curl -s --tls-max 1.1 --cacert '\(certificate)' \(address)/readyz", in: server.folder)
    #expect(old.exitCode == 35, "TLS 1.1 was taken")
  }

  @Test("at SIGTERM requests that have begun are finished, and those that wait are let go")
  func endsGracefully() async throws {
    let server = try ServerProgram()
    let address = try await server.address()
    let slow = Task {
      try await Shell.run(
        "(printf '[{\"id\":'; sleep 2; printf '\"a\"}]') | curl -s -w '%{http_code}' -T - "
          + "-H 'If-None-Match: *' \(address)/v1/lists/slow", in: server.folder)
    }
    let stream = Task {
      try await Shell.run("curl -sN -w '%{http_code}' \(address)/v1/events", in: server.folder)
    }
    try await Task.sleep(for: .seconds(1))
    let start = ContinuousClock.now
    server.signal(SIGTERM)
    #expect(try await slow.value.text.hasSuffix("201"))
    #expect(try await stream.value.text.hasSuffix("200"))
    #expect(try await server.end() == 0, "\(server.logText)")
    // It does not wait until the time for shutting down is over.
    #expect(ContinuousClock.now - start < .seconds(25))
    #expect(try await Shell.listsync("log slow", in: server.folder).contains("1 inserted"))
  }

  @Test("neither tokens, nor ids, nor contents, nor messages are in the log, however much it says")
  func logsNothingOfOthers() async throws {
    let folder = try TemporaryFolder.make()
    let secret = try await Shell.listsync("token create app --write '*'", in: folder)
    let server = try ServerProgram(["--log-level", "trace"], folder: folder)
    let address = try await server.address()
    let bearer = "-H 'Authorization: Bearer \(secret)'"
    let script = """
      \(Self.put(address, bearer))
      curl -s \(bearer) '\(address)/v1/lists/parks/items/acadia/history'
      curl -s \(bearer) -X PUT -H 'If-Match: "9-0123456789ab"' --data '[{"id":"hidden"}]' \
        '\(address)/v1/lists/parks?message=whispered'
      curl -s \(bearer) -X PUT -H 'If-None-Match: *' --data '[{"id":"broken"' '\(address)/v1/lists/x'
      curl -s -H 'Authorization: Bearer lst_wrong' '\(address)/v1/lists?since=zion'
      curl -s -H 'X-Request-Id: given-id' '\(address)/v1/lists/secretlist'
      curl -s '\(address)/v1/..%2f..%2fetc%2fpasswd'
      """
    _ = try await Shell.run(script, in: folder)
    server.signal(SIGTERM)
    _ = try await server.end()
    let log = server.logText
    #expect(log.contains("status=201") && log.contains("status=401"), "\(log)")
    #expect(log.contains("id=given-id"), "\(log)")
    for word in [
      secret, String(secret.dropFirst(4)), "lst_", "zion", "Zion", "acadia", "hidden", "whispered",
      "broken", "secretlist", "passwd",
    ] {
      #expect(!log.contains(word), "'\(word)' is in the log")
    }
  }
}
