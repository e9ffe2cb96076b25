import Foundation
import Testing

/// The changes that a log shows, which are read some versions at a time.
struct LogPatchTests {
  @Test(arguments: [false, true], [false, true])
  func patchesAreTheDeltasOfTheVersions(isPruned: Bool, isPacked: Bool) async throws {
    let harness = try CommandLineHarness()
    let count = 40
    // Versions of one change, and now and then of many.
    for version in 1...count {
      let ids = (0..<(version % 9 == 0 ? 300 : 3)).map { #"{"id":"i\#($0)","v":\#(version)}"# }
      let text = "[\(ids.joined(separator: ","))]"
      try await harness.succeed("commit", "parks", "-", input: text)
    }
    if isPruned { try await harness.succeed("prune", "parks", "--keep-last", "25") }
    if isPacked { try await harness.succeed("compact", "parks", "--whole") }
    let oldest = isPruned ? count - 24 : 1
    var deltas: [Int: NSDictionary] = [:]
    for version in (isPruned ? oldest + 1 : oldest)...count {
      let delta = try await harness.succeed(
        "delta", "parks", "--since", "\(version - 1)", "--to", "\(version)")
      deltas[version] = try delta.json() as? NSDictionary
    }
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
        let found = try #require(record["delta"] as? NSDictionary)
        #expect(found == deltas[version], "version \(version)")
      }
    }
  }
}
