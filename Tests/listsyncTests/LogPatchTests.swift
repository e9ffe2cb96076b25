import Foundation
import Testing

/// The changes that a log shows, which are read some versions at a time.
struct LogPatchTests {
  @Test func patchesAreTheDeltasOfTheVersions() async throws {
    let plain = try CommandLineHarness()
    let count = 40
    // Versions of one change, and now and then of many.
    for version in 1...count {
      let ids = (0..<(version % 9 == 0 ? 300 : 3)).map { #"{"id":"i\#($0)","v":\#(version)}"# }
      let text = "[\(ids.joined(separator: ","))]"
      try await plain.succeed("commit", "parks", "-", input: text)
    }
    var deltas: [Int: NSDictionary] = [:]
    for (index, line) in try await plain.succeed("replay", "parks").lines.enumerated() {
      deltas[index + 1] = try Self.changes(
        in: JSONSerialization.jsonObject(with: Data(line.utf8)))
    }
    for (isPruned, isCompact) in [(false, false), (false, true), (true, false), (true, true)] {
      let harness = try CommandLineHarness()
      try FileManager.default.copyItem(
        at: plain.url("listsync.db"), to: harness.url("listsync.db"))
      if isPruned { try await harness.succeed("prune", "parks", "--keep-last", "25") }
      if isCompact { try await harness.succeed("compact", "parks") }
      let oldest = isPruned ? count - 24 : 1
      for order in [[], ["--reverse"]] {
        let log = try await harness.run(["log", "parks", "-p", "--json"] + order)
        let records = try #require(try log.json() as? [[String: Any]])
        let versions = records.compactMap { $0["version"] as? Int }
        let expected = Array(oldest...count)
        #expect(versions == (order.isEmpty ? expected.reversed() : expected))
        for record in records {
          // The pruning has an entry, too.
          guard let version = record["version"] as? Int else { continue }
          if isPruned, version == oldest {
            #expect(record["delta"] == nil || record["delta"] is NSNull)
            continue
          }
          let found = try Self.changes(in: record["delta"])
          #expect(
            found == deltas[version],
            "version \(version), pruned \(isPruned), compact \(isCompact)")
        }
      }
    }
  }

  /// A delta without the oldest version of its list, which rises with a pruning.
  private static func changes(in delta: Any?) throws -> NSDictionary {
    let members = try #require(delta as? [String: Any])
    return NSDictionary(dictionary: members.filter { $0.key != "oldest" })
  }
}
