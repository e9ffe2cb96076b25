import ListModel
import SyncClient
import SyncClientHTTP
import TestSupport
import Testing

/// Edits of a replica, sent to a real server.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct EditedReplicaTests {
  /// The second length is that of bodies for which libcurl asks the server before it sends them.
  @Test(arguments: [10, 1_500_000])
  func editIsSentAndMergedIntoNewerVersions(length: Int) async throws {
    let harness = try CommandLineHarness()
    try await harness.succeed("commit", "l", "-", input: #"[{"id":"a"},{"id":"b"},{"id":"c"}]"#)
    let (server, address) = try await harness.serve()
    defer { withExtendedLifetime(server) {} }
    var options = ReplicaMachine.Options(list: try #require(ListName("l")))
    options.watches = false
    let session = ReplicaSession(
      options, transport: HTTPTransport(try ServerAddress(address)),
      storage: ReplicaMemory())
    try await session.start()
    try await session.settle()
    // The replica does not have this version when it makes its edit.
    await session.pause()
    try await harness.succeed("edit", "l", "--remove", "c")
    let note = String(repeating: "x", count: length)
    try await session.edit { items in
      items[0] = Item(
        id: "a", content: try Content(json: Array(#"{"id":"a","note":"\#(note)"}"#.utf8)))
    }
    await session.resume()
    for await state in session.editStates where state == .none { break }
    let shown = try await harness.succeed("show", "l").text
    #expect(shown == "[\n{\"id\":\"a\",\"note\":\"\(note)\"},\n{\"id\":\"b\"}\n]\n")
    let versions = try await harness.succeed("log", "l", "--reverse").lines
    #expect(versions.filter { $0.contains("updated") }.count == 1)
    await session.stop()
  }
}
