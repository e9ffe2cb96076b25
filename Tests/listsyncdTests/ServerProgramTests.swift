import Foundation
import GRDB
import TestSupport
import Testing

/// The built program, with requests by curl.
struct ServerProgramTests {
  private static let parks = #"[{"id":"zion","name":"Zion"},{"id":"acadia","name":"Acadia"}]"#

  /// A script that creates the list of parks.
  private static func put(_ address: String, _ options: String = "") -> String {
    "curl -s \(options) -X PUT -H 'If-None-Match: *' --data '\(parks)' \(address)/v1/lists/parks"
  }

  @Test func serverPrintsItsAddressAndSharesItsStoreWithListsync() async throws {
    let server = try ServerProgram()
    let address = try await server.address()
    let put = try await Shell.run(Self.put(address), in: server.folder)
    #expect(put.text.contains(#""outcome":"committed""#), "\(put.text)")
    let shown = try await Shell.listsync("show parks", in: server.folder)
    #expect(shown.contains(#""name":"Zion""#), "\(shown)")
    try Data(#"[{"id":"zion"}]"#.utf8).write(to: server.folder.appendingPathComponent("n.json"))
    let events = Task {
      try await Shell.run(
        "curl -sN -o events.txt \(address)/v1/lists/parks/events", in: server.folder)
    }
    try await eventually("the stream has begun") {
      try server.text(of: "events.txt").contains("id: 1-")
    }
    _ = try await Shell.listsync("commit parks n.json", in: server.folder)
    try await eventually("the commit is told") {
      try server.text(of: "events.txt").contains("id: 2-")
    }
    let list = try await Shell.run("curl -s \(address)/v1/lists", in: server.folder)
    #expect(list.text.contains(#""version":2"#), "\(list.text)")
    server.signal(SIGTERM)
    _ = try await events.value
  }

  @Test func serverCompactsAListWhoseLastCommitsOutweighTheOthers() async throws {
    let server = try ServerProgram()
    let address = try await server.address()
    let tag = "curl -sI \(address)/v1/lists/long | tr -d '\\r' | sed -n 's/^[Ee][Tt]ag: //p'"
    for (value, condition) in ["If-None-Match: *", "If-Match: $(\(tag))"].enumerated() {
      let items = (0..<5000).map { #"{"id":"i\#($0)","value":\#(value)}"# }.joined(separator: ",")
      try Data("[\(items)]".utf8).write(to: server.folder.appendingPathComponent("long.json"))
      let put = try await Shell.run(
        "curl -s -X PUT -H \"\(condition)\" --data @long.json \(address)/v1/lists/long",
        in: server.folder)
      #expect(put.text.contains(#""outcome":"committed""#), "\(put.text)")
    }
    try await eventually("the list is compacted") {
      let file = server.folder.appendingPathComponent("listsync.db").path
      let count = try await DatabaseQueue(path: file).read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM segments")
      }
      return count == 1
    }
    #expect(
      try await Shell.listsync("verify --deep", in: server.folder).contains("long: 2 versions"))
    server.signal(SIGTERM)
    #expect(try await server.end() == 0)
    #expect(!server.logText.contains("not compacted"), "\(server.logText)")
  }

  /// The option --without-tokens states the intent.
  @Test func nonLoopbackAddressWithoutTokensIsRefusedUnlessIntended() async throws {
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

  @Test func takenPortAndInvalidCertificateAreRefusedByName() async throws {
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

  @Test func certificateAndKeyEnableHTTPS() async throws {
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

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func sigtermFinishesStartedRequestsAndReleasesWaitingOnes() async throws {
    // It ends long before this time is over.
    let server = try ServerProgram(["--shutdown-timeout", "\(Hang.minutes * 120)"])
    let address = try await server.address()
    let slow = Task {
      try await Shell.run(
        "(printf '[{\"id\":'; i=0; while [ ! -e go ] && [ $i -lt 12000 ]; do i=$((i + 1)); "
          + "sleep 0.1; done; printf '\"a\"}]') | "
          + "curl -sv -w '%{http_code}' -T - -H 'If-None-Match: *' -H 'Expect: 100-continue' "
          + "--expect100-timeout 60 \(address)/v1/lists/slow 2>slow.txt", in: server.folder)
    }
    let stream = Task {
      try await Shell.run(
        "curl -sNv -w '%{http_code}' \(address)/v1/events 2>stream.txt", in: server.folder)
    }
    try await eventually("both requests have begun") {
      try server.text(of: "slow.txt").contains("100 Continue")
        && server.text(of: "stream.txt").contains("200 OK")
    }
    server.signal(SIGTERM)
    let events = try await stream.value.text
    #expect(events.hasPrefix(": heartbeat 15\n") && events.hasSuffix("200"))
    try Data().write(to: server.folder.appendingPathComponent("go"))
    #expect(try await slow.value.text.hasSuffix("201"))
    #expect(try await server.end() == 0, "\(server.logText)")
    #expect(try await Shell.listsync("log slow", in: server.folder).contains("1 inserted"))
  }

  @Test func logNeverHoldsTokensIDsContentsOrMessagesAtAnyLevel() async throws {
    let folder = try TemporaryFolder.make()
    let secret = try await Shell.listsync("token create app --write '*'", in: folder)
    let server = try ServerProgram(["--log-level", "trace"], folder: folder)
    let address = try await server.address()
    let bearer = "-H 'Authorization: Bearer \(secret)'"
    let script = """
      \(Self.put(address, bearer))
      curl -s \(bearer) '\(address)/v1/lists/parks/items/acadia/history'
      curl -s \(bearer) -X PUT -H 'If-Match: "9-0123456789abcdef0123456789abcdef"' \
      --data '[{"id":"hidden"}]' \
        '\(address)/v1/lists/parks?message=whispered'
      curl -s \(bearer) -X PUT -H 'If-None-Match: *' --data '[{"id":"broken"' \
        '\(address)/v1/lists/x'
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
