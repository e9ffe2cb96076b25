import Foundation
import TestSupport
import Testing

/// A server's use of descriptors and signals.
struct ProcessTests {
  private static let put =
    "curl -s -m 20 -o /dev/null -w '%{http_code}\\n' -X PUT -H 'If-None-Match: *' --data '[]'"

  /// Sends requests until the server answers: it may be unable to print its address.
  private func expectAnswers(
    _ server: ServerProgram, port: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await eventually("the server answers") {
      #expect(server.isRunning, "\(server.logText)", sourceLocation: sourceLocation)
      let answer = try await Shell.run(
        "curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:\(port)/readyz", in: server.folder)
      return answer.text == "200" || !server.isRunning
    }
  }

  @Test(arguments: [">&-", ">/dev/full", "2>&-", "2>/dev/full", "<&- >&- 2>&-"])
  func closedOrFullOutputDoesNotEndTheServer(_ redirection: String) async throws {
    let port = LastingPort.free()
    let server = try ServerProgram(
      ["--log-level", "debug"], port: port, redirection: redirection)
    try await expectAnswers(server, port: port)
    let put = try await Shell.run(
      "\(Self.put) http://127.0.0.1:\(port)/v1/lists/parks", in: server.folder)
    #expect(put.text == "200\n")
    for descriptor in 0...2 {
      let place = try FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/\(server.processID)/fd/\(descriptor)")
      #expect(
        place.hasPrefix("/dev/") || place.hasSuffix(".log") || place.hasSuffix(".out"), "\(place)")
    }
    server.signal(SIGTERM)
    #expect(try await server.end() == 0)
    #expect(try await Shell.listsync("verify", in: server.folder).contains("parks"))
  }

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func blockedLogDelaysNoRequest() async throws {
    let folder = try TemporaryFolder.make()
    // A pipe of 64 KiB whose other end is open but never read.
    let path = folder.appendingPathComponent("log").path
    try #require(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDWR)
    defer { close(reader) }
    let server = try ServerProgram(
      ["--log-level", "debug"], folder: folder, redirection: "2>'\(path)'")
    let address = try await server.address()
    // Each request writes a log line of at least 100 bytes.
    let script = """
      for round in $(seq 20); do
        curl -s -m 20 -o /dev/null -w '%{http_code}\\n' '\(address)/v1/lists?x=[1-100]'
      done
      """
    let answers = try await Shell.run(script, in: folder).text.split(separator: "\n")
    #expect(answers.count == 2000 && answers.allSatisfy { $0 == "400" })
    server.signal(SIGTERM)
    #expect(try await server.end() == 0)
  }

  /// A hang-up asks for the certificate to be read again, also while the server ends.
  @Test func hangupEndsNoRequestAndNoServer() async throws {
    let server = try ServerProgram()
    let port = try await server.port()
    let answer = try await onThread {
      let wire = try Wire(port: port)
      try wire.write(
        "PUT /v1/lists/slow HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
          + "If-None-Match: *\r\nExpect: 100-continue\r\nContent-Length: 12\r\n\r\n")
      // By now the request has begun.
      _ = try wire.read()
      server.signal(SIGHUP)
      try wire.write("[")
      Thread.sleep(forTimeInterval: 0.2)
      let other = try Wire(port: port)
      try other.write("GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      let ready = String(decoding: try other.readToEnd(), as: UTF8.self)
      guard ready.hasPrefix("HTTP/1.1 200 ") else { return "after SIGHUP: \(ready)" }
      server.signal(SIGTERM)
      Thread.sleep(forTimeInterval: 0.2)
      server.signal(SIGHUP)
      Thread.sleep(forTimeInterval: 0.2)
      try wire.write(#"{"id":"a"}]"#)
      return String(decoding: try wire.readToEnd(), as: UTF8.self)
    }
    #expect(answer.hasPrefix("HTTP/1.1 201 "), "\(answer)")
    #expect(try await server.end() == 0, "\(server.logText)")
  }

  @Test func openFileLimitLowersTheConnectionCountWithAWarning() async throws {
    let server = try ServerProgram(preparation: "ulimit -n 60;")
    let address = try await server.address()
    let script = """
      for number in $(seq 60); do curl -sN -m 8 -o /dev/null \(address)/v1/events & done
      sleep 3
      ls /proc/\(server.processID)/fd | wc -l
      wait
      \(Self.put) \(address)/v1/lists/parks
      """
    let lines = try await Shell.run(script, in: server.folder).text.split(separator: "\n")
    #expect(try #require(lines.first.flatMap { Int($0) }) < 60)
    #expect(lines.last == "200")
    // A thread of its own writes the log, after the address is printed.
    #expect(server.logText.contains("fewer connections than max-connections"))
    #expect(!server.logText.contains("no room for another connection"), "\(server.logText)")
  }

  @Test func tooLowOpenFileLimitIsRefusedAtTheStart() async throws {
    let server = try ServerProgram(preparation: "ulimit -n 20;")
    #expect(try await server.end() == 2)
    #expect(server.logText.contains("only 20 files may be open"), "\(server.logText)")
  }
}
