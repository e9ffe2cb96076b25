import Foundation
import ListModel
import ListStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// A server whose disk is full.
@Suite(
  .needsPostgreSQL, .onOneServer,
  .enabled(if: SmallDisk.isAllowed, "small disks need an administrator"))
struct FullDiskTests {
  @Test func fullDiskRefusesCommitsAndReadingGoesOn() async throws {
    let server = try PostgresServer("full")
    let disk = try SmallDisk(kilobyteCount: 40_000)
    try PostgresServer.run(["chown", "postgres", disk.folder.path])
    try server.sql("CREATE TABLESPACE small LOCATION '\(disk.folder.path)'")
    try server.sql("CREATE DATABASE small TABLESPACE small")
    let test = try PostgresTest("full", on: server, database: "small")
    let first = try await test.commit("a").state
    let next = CommitRequest(
      list: .parks, snapshot: try .of((0..<5_000).map { "item \($0)" }))
    try disk.fill()
    await #expect(throws: StoreError.diskFull) { try await test.service.commit(next) }
    #expect(try await test.service.snapshot(of: .parks).state == first)
    disk.emptyOut()
    #expect(try await test.service.commit(next).state.cursor?.version == Version(2))
    #expect(try await test.service.verify(depth: .everything).faults.isEmpty)
    try server.crash()
  }
}
