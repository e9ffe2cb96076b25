import Foundation
import GRDB
import TestSupport
import Testing

/// Replica files, read offline by `show` and `diff`.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct ReplicaVerbTests {
  /// `old.replica` holds version 2 of the parks, and the store version 3.
  private func harness() async throws -> CommandLineHarness {
    let harness = try await CommandLineHarness.withParks()
    let (server, address) = try await harness.serve()
    try await harness.succeed("pull", "parks", address, "--copy", "old.replica")
    try await harness.succeed("edit", "parks", "--remove", "arches")
    try await harness.succeed("pull", "parks", address, "--copy", "new.replica")
    #expect(try await server.end(by: SIGTERM) == 0)
    return harness
  }

  @Test func listOfAReplicaIsShownAndComparedOffline() async throws {
    let harness = try await harness()
    let bytes = try Data(contentsOf: harness.url("old.replica"))
    let shown = try await harness.succeed("show", "--replica", "old.replica", "--store", "none.db")
    #expect(shown.text == (try await harness.succeed("show", "parks@2").text))
    let diff = try await harness.succeed("diff", "parks", "2", "3").text
    for arguments in [
      ["parks"], ["parks", "3"], ["parks", "head"],
      ["--replica", "new.replica", "--store", "none.db"],
    ] {
      let found = try await harness.run(["diff", "--replica", "old.replica"] + arguments)
      #expect(found.text == diff && found.exitCode == 0, "\(arguments): \(found)")
    }
    let same = try await harness.run(["diff", "parks", "--replica", "new.replica", "--exit-code"])
    #expect(same.exitCode == 0, "\(same)")
    let json = try await harness.run(["diff", "parks", "2", "--replica", "new.replica", "--json"])
    #expect(json.text.contains("\"inserted\":[\n{\"id\":\"arches\""), "\(json)")
    #expect(try Data(contentsOf: harness.url("old.replica")) == bytes)
    #expect(try harness.fileNames().contains("none.db") == false)
  }

  @Test func otherFilesAreRefused() async throws {
    let harness = try await harness()
    try harness.write("not a database, but long enough to be read as one", to: "text")
    try harness.write("", to: "empty")
    let spoiled = try Data(contentsOf: harness.url("old.replica"))
    try spoiled.write(to: harness.url("spoiled"))
    try await DatabaseQueue(path: harness.url("spoiled").path).write {
      try $0.execute(sql: "UPDATE items SET content = x'7B7D' WHERE rowid = 1")
    }
    let names = try harness.lastingFileNames()
    let refusals: [([String], Int32, [String])] = [
      (["show", "--replica", "none"], 1, ["cannot open none: there is no such file"]),
      (["show", "--replica", "text"], 1, ["text is not the file of a replica"]),
      (["show", "--replica", "empty"], 1, ["empty is not the file of a replica"]),
      (["show", "--replica", "listsync.db"], 1, ["listsync.db is not the file of a replica"]),
      (["show", "--replica", "spoiled"], 6, ["spoiled is damaged", "pull again"]),
      (["show"], 2, ["name a list, or one replica"]),
      (["show", "parks", "--replica", "old.replica"], 2, ["name a list, or one replica"]),
      (["diff", "--replica", "old.replica"], 2, ["names no version to compare the replica with"]),
      (["diff"], 2, ["names no two versions"]),
      (["diff", "films", "--replica", "old.replica"], 3, ["there is no list 'films'"]),
    ]
    for (arguments, code, words) in refusals {
      expectRefusal(try await harness.run(arguments), code: code, says: words)
    }
    #expect(try harness.lastingFileNames() == names)
  }
}
