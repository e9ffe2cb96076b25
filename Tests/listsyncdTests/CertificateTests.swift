import Foundation
import TestSupport
import Testing

/// The built program with a certificate that is renewed while it runs, and curl.
struct CertificateTests {
  private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures/TLS")

  private static func path(_ name: String) -> String { fixtures.appendingPathComponent(name).path }

  /// Replaces a file as programs do that renew certificates: at once, under its name.
  private static func put(_ name: String, as other: String, in folder: URL) throws {
    let new = folder.appendingPathComponent("new")
    try Data(contentsOf: fixtures.appendingPathComponent(name)).write(to: new)
    guard rename(new.path, folder.appendingPathComponent(other).path) == 0 else {
      throw CocoaError(.fileWriteUnknown)
    }
  }

  /// curl's exit code for a new connection, which trusts one certificate alone.
  private static func visit(
    _ address: String, trusting certificate: String, in folder: URL
  ) async throws -> Int32 {
    try await Shell.run(
      "curl -s --cacert '\(path(certificate))' \(address)/readyz", in: folder
    ).exitCode
  }

  @Test(arguments: [false, true])
  func renewedCertificateIsForNewConnectionsAndOpenOnesStay(_ isSignalled: Bool) async throws {
    let folder = try TemporaryFolder.make()
    try Self.put("certificate.pem", as: "c.pem", in: folder)
    try Self.put("key.pem", as: "k.pem", in: folder)
    try Data(#"[{"id":"a"}]"#.utf8).write(to: folder.appendingPathComponent("a.json"))
    let server = try ServerProgram(
      ["--tls-certificate", "c.pem", "--tls-key", "k.pem"], folder: folder)
    let address = try await server.address()
    let stream = Task {
      try await Shell.run(
        "curl -sN --cacert '\(Self.path("certificate.pem"))' -o events.txt \(address)/v1/events",
        in: folder)
    }
    try await eventually("the stream has begun") {
      try server.text(of: "events.txt").contains("heartbeat")
    }

    // For a moment, the key is that of the former certificate.
    try Self.put("renewed-certificate.pem", as: "c.pem", in: folder)
    if isSignalled { server.signal(SIGHUP) }
    try await eventually("the pair that does not fit is logged") {
      server.logText.contains("k.pem is not that of the certificate in c.pem")
    }
    #expect(try await Self.visit(address, trusting: "certificate.pem", in: folder) == 0)

    try Self.put("renewed-key.pem", as: "k.pem", in: folder)
    if isSignalled { server.signal(SIGHUP) }
    try await eventually("new connections get the renewed certificate") {
      try await Self.visit(address, trusting: "renewed-certificate.pem", in: folder) == 0
    }
    let old = try await Self.visit(address, trusting: "certificate.pem", in: folder)
    #expect(old == 60, "the former certificate is still shown")
    _ = try await Shell.listsync("commit parks a.json", in: folder)
    try await eventually("the open connection brings an event") {
      try server.text(of: "events.txt").contains("event: head")
    }
    server.signal(SIGTERM)
    _ = try await stream.value
    #expect(try await server.end() == 0, "\(server.logText)")
  }

  @Test func keyOfAnotherCertificateIsRefusedByTheNamesOfBoth() async throws {
    let server = try ServerProgram([
      "--tls-certificate", Self.path("renewed-certificate.pem"), "--tls-key", Self.path("key.pem"),
    ])
    #expect(try await server.end() == 2)
    let text = "key.pem is not that of the certificate in \(Self.path("renewed-certificate.pem"))"
    #expect(server.logText.contains(text), "\(server.logText)")
  }
}
