import Foundation
import GRDB
import ListModel
import TestSupport
import Testing

@testable import GRDBReplica
@testable import SyncClient

/// The example program, which has a list as rows of its database, with a real server.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct FirstRowsTests {
  @Test func programShowsEachVersion() async throws {
    let harness = try CommandLineHarness()
    try await harness.succeed("commit", "l", "-", input: #"[{"id":"a"},{"id":"b"}]"#)
    let (server, address) = try await harness.serve()
    defer { withExtendedLifetime(server) {} }
    let program = try RunningProgram("first-rows", [address, "l", "app.db"], in: harness.folder)
    try await program.wait {
      $0.output.hasSuffix("2 rows\n  a  {\"id\":\"a\"}\n  b  {\"id\":\"b\"}\n")
    }
    try await harness.succeed("edit", "l", "--put", "-", "--first", input: #"{"id":"c"}"#)
    try await program.wait { $0.output.contains("3 rows\n  c  {\"id\":\"c\"}\n  a  {") }
    try await harness.succeed("edit", "l", "--remove", "a")
    try await program.wait {
      $0.output.hasSuffix("2 rows\n  c  {\"id\":\"c\"}\n  b  {\"id\":\"b\"}\n")
    }
  }

  /// Rows and cursor agree after each kill.
  @Test func killsLeaveRowsAndCursorTogether() async throws {
    var random = SeededRandom.forThisRun()
    let harness = try CommandLineHarness()
    let items = (0..<300).map { #"{"id":"i\#($0)","n":0}"# }
    try await harness.succeed("commit", "l", "-", input: "[\(items.joined(separator: ","))]")
    let (server, address) = try await harness.serve()
    defer { withExtendedLifetime(server) {} }
    let path = harness.url("app.db").path
    let source = ReplicaSource(server: address, list: try #require(ListName("l")))
    var versions: Set<Int> = []
    for number in 1...(Campaign.isLong ? 1000 : 15) {
      let program = try RunningProgram("first-rows", [address, "l", "app.db"], in: harness.folder)
      let id = Int.random(in: 0..<300, using: &random)
      try await harness.succeed(
        "edit", "l", "--put", "-", "--first", input: #"{"id":"i\#(id)","n":\#(number)}"#)
      try await Task.sleep(for: .milliseconds(Int.random(in: 0..<150, using: &random)))
      _ = try await program.end(by: SIGKILL)
      guard FileManager.default.fileExists(atPath: path) else { continue }
      let queue = try DatabaseQueue(path: path)
      let isThere = try await queue.read { try $0.tableExists("listsync_copies") }
      if !isThere { continue }
      let state = try await queue.read { db in
        let state = try CopyState.read(db, source, ItemTable("items"))
        let rows = try state.rows.items(at: [0..<state.rows.tree.itemCount])
        #expect(Root(of: Snapshot(uniqueItems: rows)) == state.copy.state.root, "kill \(number)")
        return state.copy.state
      }
      versions.insert(state.version.number)
    }
    #expect(versions.count > 3, "the kills came at several versions")
  }
}
