import Foundation
import ListModel
import PostgresTestSupport
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// What shells offer after an unfinished command line that names a database.
@Suite(.needsPostgreSQL) struct CompletionTests {
  /// Asks `listsync` as the shells' scripts do. The last word is completed.
  private func offers(for argument: String, _ words: [String]) throws -> [String] {
    let program = try BuiltProgram.url("listsync").path
    let line = ["listsync"] + words
    return try PostgresServer.run(
      [program, "---completion", words[0], "--", argument, "\(words.count)", "0"] + line
    ).split(separator: "\n").map(String.init)
  }

  @Test func listsTagsAndVersionsComeFromTheDatabase() async throws {
    let test = try PostgresTest("completion")
    try await test.commit("a")
    try await test.commit("a", "b")
    _ = try await test.service.tag(TagName("spring")!, of: .parks, at: .version(Version(1)))
    let store = ["--store", test.server.address(), "--schema", test.schema]
    #expect(try offers(for: "positional@0", ["log"] + store + [""]) == ["parks"])
    #expect(
      try offers(for: "--since", ["delta", "parks"] + store + ["--since", ""])
        == ["head", "spring", "1", "2"])
  }

  @Test func absentServerAndAbsentSchemaOfferNothing() throws {
    let address = try PostgresServer.shared.get().address()
    for store in [["--store=postgresql://u@/db?host=/nowhere"], ["--store", address]] {
      #expect(try offers(for: "positional@0", ["log"] + store + ["--schema", "absent", ""]) == [])
    }
  }
}
