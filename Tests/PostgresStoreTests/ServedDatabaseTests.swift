import Foundation
import ListModel
import PostgresTestSupport
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// Several servers over one database, each with clients of its own.
@Suite(.needsPostgreSQL, .onOneServer, .timeLimit(.minutes(Hang.minutes)))
struct ServedDatabaseTests {
  private struct Answer {
    let status: Int
    let head: String
  }

  /// What the server sent is no answer of HTTP.
  private struct NoAnswer: Error {
    let text: String
  }

  private func get(_ address: String, _ path: String) throws -> Answer {
    let text = try PostgresServer.run(["curl", "-s", "-i", "--max-time", "30", "\(address)\(path)"])
    guard let status = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw NoAnswer(text: text)
    }
    return Answer(status: status, head: text.lowercased())
  }

  @Test func commitThroughOneServerEndsTheWaitAtAnother() async throws {
    let test = try PostgresTest("headCache")
    try await test.commit("a")
    let headCache = HeadCache(service: try test.other())
    let run = Task { try await headCache.run() }
    defer { run.cancel() }
    try await eventually("it shows the head") { headCache.head(of: .parks) != nil }
    let cursor = try #require(headCache.head(of: .parks)?.head.cursor)
    let wait = Task { await headCache.wait(for: .parks, otherThan: cursor, timeout: Hang.duration) }
    try await test.commit("a", "b")
    #expect(try await ended("the wait", wait)?.head.cursor?.version == Version(2))
  }

  @Test func serverWithoutItsDatabaseRefusesForTheMomentAndGoesOnLater() async throws {
    let database = try PostgresServer("served")
    let test = try PostgresTest("served", on: database)
    try await test.commit("a")
    let program = try ServerProgram(
      ["--schema", test.schema], store: database.address())
    let address = "http://\(try await program.address().split(separator: "/").last ?? "")"
    #expect(try get(address, "/v1/lists/parks").status == 200)
    #expect(try get(address, "/readyz").status == 200)

    try database.crash()
    for path in ["/readyz", "/v1/lists/parks/versions?limit=1"] {
      let answer = try get(address, path)
      #expect(answer.status == 503 && answer.head.contains("retry-after: "), "\(path): \(answer)")
    }
    #expect(try get(address, "/healthz").status == 200)

    try database.start()
    try await eventually("it is ready again") { try get(address, "/readyz").status == 200 }
    try await test.commit("a", "b")
    try await eventually("it shows the commit") {
      try get(address, "/v1/lists/parks").head.contains("etag: \"2-")
    }
    program.signal(SIGTERM)
    #expect(try await program.end() == 0)
  }

  @Test func serverReadsFromTheStandbyWhatItHasAndTheRestFromThePrimary() async throws {
    let primary = try PostgresServer("read-primary")
    let standby = try PostgresServer("read-standby", of: primary)
    let test = try PostgresTest("standby", on: primary)
    try await test.commit("a")
    try await eventually("the standby has the list") {
      try standby.sql("SELECT count(*) FROM \"\(test.schema)\".versions") == ["1"]
    }
    let program = try ServerProgram(
      ["--schema", test.schema, "--read-from", standby.address()], store: primary.address())
    let address = "http://\(try await program.address().split(separator: "/").last ?? "")"
    #expect(try get(address, "/v1/lists/parks").head.contains("etag: \"1-"))

    try standby.sql("SELECT pg_wal_replay_pause()")
    try await eventually("the standby pauses") {
      try standby.sql("SELECT pg_get_wal_replay_pause_state()") == ["paused"]
    }
    let cursor = try #require(try await test.commit("a", "b").state.cursor)
    #expect(try get(address, "/v1/lists/parks").head.contains("etag: \"1-"), "of the standby")
    for fallback in ["", "&fallback=snapshot"] {
      let answer = try get(address, "/v1/lists/parks/delta?since=\(cursor)\(fallback)")
      #expect(answer.status == 200 && answer.head.contains(cursor.description), "\(answer)")
    }
    try standby.sql("SELECT pg_wal_replay_resume()")
    try await eventually("it follows") {
      try get(address, "/v1/lists/parks").head.contains("etag: \"2-")
    }

    // A primary without its synchronous standby keeps no commit.
    try primary.sql("ALTER SYSTEM RESET synchronous_standby_names")
    try primary.sql("SELECT pg_reload_conf()")
    try standby.crash()
    try await test.commit("a", "b", "c")
    try await eventually("it reads from the primary") {
      try get(address, "/v1/lists/parks").head.contains("etag: \"3-")
    }
    program.signal(SIGTERM)
    #expect(try await program.end() == 0)
  }
}
