import Foundation
import TestSupport
import Testing

/// The built program on addresses that it cannot use, and on Unix sockets.
struct ListeningTests {
  /// No name is looked up: one of these is no host name, the other is of no machine.
  @Test(arguments: [
    ("a..b", "cannot listen on a..b:0: the host is unknown", "Name an address of this machine"),
    ("192.0.2.1", "cannot listen on 192.0.2.1:0: Cannot assign", "Name an address of this machine"),
  ])
  func addressThatIsNotOfThisMachineIsRefusedInWords(
    host: String, reason: String, advice: String
  ) async throws {
    let server = try ServerProgram(["--host", host, "--without-tokens"])
    #expect(try await server.end() == 8)
    #expect(server.logText.contains(reason), "\(server.logText)")
    #expect(server.logText.contains(advice), "\(server.logText)")
  }

  @Test func unixSocketServesWithoutAPort() async throws {
    let server = try ServerProgram(["--unix-socket", "s.sock"])
    #expect(try await server.address() == "unix:s.sock")
    let script = """
      curl -s --unix-socket s.sock -X PUT -H 'If-None-Match: *' --data '[{"id":"a"}]' \
        http://localhost/v1/lists/parks
      curl -s --unix-socket s.sock http://127.0.0.1/v1/lists/parks
      curl -s --unix-socket s.sock http://lists.example/v1/lists/parks
      """
    let answers = try await Shell.run(script, in: server.folder).text
    #expect(answers.contains(#""outcome":"committed""#), "\(answers)")
    #expect(answers.contains("[\n{\"id\":\"a\"}\n]"), "\(answers)")
    #expect(answers.contains("misdirected-request"), "\(answers)")
    server.signal(SIGTERM)
    #expect(try await server.end() == 0, "\(server.logText)")
  }

  @Test func unixSocketOfARunningServerIsKeptAndOneOfAnEndedServerIsReplaced() async throws {
    let folder = try TemporaryFolder.make()
    let first = try ServerProgram(["--unix-socket", "s.sock"], folder: folder)
    _ = try await first.address()
    let second = try ServerProgram(
      ["--unix-socket", "s.sock"], folder: folder, store: "other.db")
    #expect(try await second.end() == 8)
    #expect(second.logText.contains("unix:s.sock: another program listens"), "\(second.logText)")
    let visit = "curl -s --unix-socket s.sock http://localhost/readyz"
    #expect(try await Shell.run(visit, in: folder).text.contains("ready"))
    first.signal(SIGKILL)
    _ = try await first.end()
    let third = try ServerProgram(["--unix-socket", "s.sock"], folder: folder)
    _ = try await third.address()
    #expect(try await Shell.run(visit, in: folder).text.contains("ready"))
  }

  @Test(arguments: [
    ("file", "the file is no socket"), ("absent/s.sock", "No such file or directory"),
    (String(repeating: "s", count: 200), "the path is too long"),
  ])
  func pathOfNoSocketIsRefusedInWords(path: String, reason: String) async throws {
    let folder = try TemporaryFolder.make()
    let file = folder.appendingPathComponent("file")
    try Data("kept".utf8).write(to: file)
    let server = try ServerProgram(["--unix-socket", path], folder: folder)
    #expect(try await server.end() == 8)
    let text = "cannot listen on unix:\(path): \(reason)"
    #expect(server.logText.contains(text), "\(server.logText)")
    #expect(try Data(contentsOf: file) == Data("kept".utf8))
  }
}
