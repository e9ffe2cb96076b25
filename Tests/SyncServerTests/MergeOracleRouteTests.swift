import Foundation
import ListModel
import TestSupport
import Testing

@testable import SyncServer

/// Merges made by a program that shares no code with this one, through HTTP.
@Suite(
  .enabled(
    if: Shared.has("oracle/merges.jsonl"),
    "SKIPPED: shared/oracle/merges.jsonl is not beside the checkout"))
struct MergeOracleRouteTests {
  @Test func casesOfAnotherProgramGiveItsListsAndConflicts() async throws {
    let lines = try Shared.data("oracle/merges.jsonl").split(separator: UInt8(ascii: "\n"))
    var random = SeededRandom.forThisRun()
    var conflictCount = 0
    try await TestServer.run(.inProcess) { server in
      for number in (0..<lines.count).shuffled(using: &random).prefix(60) {
        let oracle = ContentView(try Content(json: Array(lines[number])))
        let expected = try #require(oracle.member("conflicts")).elements.map { conflict in
          conflict.elements.compactMap(\.scalarText)
        }
        conflictCount += expected.count
        for (side, name) in [("mine", "merged_mine"), ("theirs", "merged_theirs"), (nil, "mine")] {
          let note = Comment(rawValue: "case \(number), \(side ?? "neither"), \(random.seed)")
          let path = "/v1/lists/case-\(number)-\(side ?? "neither")"
          let base = try await Self.begin(path, oracle, server)
          let target =
            "\(path)?base=\(base)&force-removed=true" + (side.map { "&prefer=\($0)" } ?? "")
          let answer = try await server.put(target, [:], try Self.body(oracle, "mine"))
          if side == nil, !expected.isEmpty {
            try answer.expectProblem("conflicts", 409)
            let found = try #require(answer.json["conflicts"]?.elements).map {
              [$0["id"]?.text, $0["kind"]?.text, $0["path"]?.text].compactMap { $0 }
            }
            #expect(found == expected, note)
            continue
          }
          #expect(answer.status == 200 || answer.status == 201, note)
          let merged = try Self.body(oracle, side == nil ? "merged_mine" : name)
          #expect(try await Self.list(path, server) == Content(json: merged), note)
        }
      }
    }
    #expect(conflictCount > 0)
  }

  /// Commits base and theirs.
  ///
  /// - Returns: the cursor of the base.
  private static func begin(
    _ path: String, _ oracle: ContentView, _ server: TestServer
  ) async throws -> String {
    let base = try await server.put(path, ["If-None-Match": "*"], try body(oracle, "base"))
    let cursor = try #require(try base.json.at("head", "cursor")?.text)
    let target = "\(path)?base=\(cursor)&force-removed=true"
    _ = try await server.put(target, [:], try body(oracle, "theirs"))
    return cursor
  }

  /// The items of a list of the case, each with its id as a member.
  private static func body(_ oracle: ContentView, _ name: String) throws -> String {
    let items = try #require(oracle.member(name)).elements.map { entry in
      let members = "\(entry.elements[1].content)".dropFirst()
      return #"{"id":"\#(try #require(entry.elements[0].scalarText))""#
        + (members == "}" ? "" : ",") + members
    }
    return "[\(items.joined(separator: ","))]"
  }

  private static func list(_ path: String, _ server: TestServer) async throws -> Content {
    try Content(json: try await server.get(path).body)
  }
}
