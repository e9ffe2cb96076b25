import Foundation
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// Rows that a hostile program changed, with digests that are right again: every act ends, in
/// little memory, with an answer or an error. Such a store may agree with itself, so answers are
/// not judged.
@Suite(.serialized, .timeLimit(.minutes(Hang.minutes))) struct MendedDamageCampaign {
  private static let campaign = Campaign("mended damage")

  @Test func everyActUponMendedDamageEndsWithAnAnswerOrAnError() async throws {
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    var (next, faults): (Int, [String]) = (0, [])
    let end = Self.campaign.rounds(20, long: 12_000)
    while next < end, faults.count < 12 {
      let last = min(next + 60, end)
      let outcome = try await WorkerProcess.run([
        "mend", folder.path, "\(Self.campaign.seed)", "\(next)", "\(last)",
      ])
      faults += outcome.lines.filter { $0.hasPrefix("!") }
      if outcome.exitCode == 0 {
        next = last
        continue
      }
      // The process has told what it was about to do.
      let line = outcome.lines.last { !$0.hasPrefix("!") } ?? ""
      let number = line.split(separator: " ").first.flatMap { Int($0) } ?? last
      let changes = outcome.lines.first { $0.hasPrefix("\(number) ") } ?? ""
      faults.append("ended with \(outcome.exitCode) in \(line), after \(changes)")
      next = number + 1
    }
    #expect(faults.isEmpty, "seed \(Self.campaign.seed)\n\(faults.joined(separator: "\n"))")
    Self.campaign.report("\(end) stores, \(faults.count) faults")
  }

  private static func readings(of list: String) -> [String] {
    [
      "lists", "log \(list) -p", "log \(list) --item i3", "blame \(list)",
      "blame \(list) --item i3", "grep \(list) i --all-versions", "show \(list)",
      "show \(list)@5", "show \(list) --item i3", "diff \(list) 4 head",
      "delta \(list) --since 4", "tag \(list)", "token list", "stats",
      "replay \(list) --from 4 --to head --check", "bundle create \(list) -o -",
      "report \(list) -o -", "verify", "verify --deep", "backup backup.db",
      "prune \(list) --keep-last 1 --dry-run", "publish \(list) -o site",
      "copy --from store.db --to other.db",
    ]
  }

  private static func writings(to list: String) -> [String] {
    [
      "edit \(list) --remove i3", "revert \(list) 5", "tag \(list) autumn 6",
      "compact \(list)", "compact \(list) --vacuum", "prune \(list) --keep-last 2",
      "rename \(list) moved", "drop \(list) --yes",
    ]
  }

  private static func requests(_ list: String) -> [String] {
    let own = [
      "", "?version=5", "/delta?since=4", "/versions", "/versions/5", "/versions?groups=5",
      "/items/i3", "/items/i3/history", "/items/i3/places", "/bundle?since=4", "/tags", "/prunes",
    ]
    return ["/v1/lists", "/v1/changes", "/metrics"] + own.map { "/v1/lists/\(list)\($0)" }
  }

  @Test func everyVerbAndTheServerOutliveMendedDamage() async throws {
    let sound = try await RowFixture.store()
    let rounds = Self.campaign.rounds(1, long: 600)
    var (refusedCount, faults): (Int, [String]) = (0, [])
    for number in -1..<rounds {
      let list = RowFixture.names[abs(number) % 2].text
      let folder = try TemporaryFolder.make()
      defer { try? FileManager.default.removeItem(at: folder) }
      let path = folder.appendingPathComponent("store.db").path
      try FileManager.default.copyItem(atPath: sound.path, toPath: path)
      var changes = "no changes"
      if number >= 0 {
        guard let made = try await Self.change(path, number) else { continue }
        changes = made
      }
      func run(_ verb: String, on store: String) async throws {
        let outcome = try await SpawnedProgram.run(
          verb.split(separator: " ").map(String.init), in: folder,
          environment: ["LISTSYNC_STORE": Array(store.utf8)])
        if outcome.exitCode == 6 { refusedCount += 1 }
        let allowed: [Int32] = number < 0 ? [0] : [0, 1, 3, 4, 5, 6]
        if !allowed.contains(outcome.exitCode) {
          faults.append("\(verb): \(outcome.exitCode) \(outcome.errorText) after \(changes)")
        }
      }
      for verb in Self.readings(of: list) { try await run(verb, on: "store.db") }
      for (position, verb) in Self.writings(to: list).enumerated() {
        let copy = folder.appendingPathComponent("copy\(position).db").path
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try await run(verb, on: copy)
      }
      faults += try await serve(folder, changes, list)
    }
    let shown = faults.prefix(12).joined(separator: "\n")
    #expect(faults.isEmpty, "seed \(Self.campaign.seed)\n\(shown)")
    Self.campaign.report("\(rounds) stores, \(refusedCount) verbs refused as damage")
  }

  /// - Returns: what was changed; nil if the schema forbids it.
  private static func change(_ path: String, _ number: Int) async throws -> String? {
    let store = try SQLiteStore(path: path, ifAbsent: .fail)
    return try? await store.write { writer in
      var mutation = RowMutation(seed: campaign.seed, number: number)
      try mutation.run(in: writer)
      return mutation.description
    }
  }

  /// Starts a server upon the store, and makes all requests of a list.
  private func serve(_ folder: URL, _ changes: String, _ list: String) async throws -> [String] {
    let server = try ServerProgram(folder: folder, store: "store.db")
    let port: Int
    do {
      port = try await server.port()
    } catch is ServerProgram.Ended {
      let code = try await server.end()
      return code == 6 ? [] : ["the server ended with \(code) after \(changes)"]
    }
    var faults: [String] = []
    for target in Self.requests(list) {
      let answer = try await onThread {
        let wire = try Wire(port: port)
        try wire.write(
          "GET \(target) HTTP/1.1\r\nHost: localhost:\(port)\r\nConnection: close\r\n\r\n")
        return try wire.readToEnd()
      }
      if !answer.starts(with: Array("HTTP/1.1 ".utf8)) || !server.isRunning {
        faults.append("\(target) has no answer after \(changes)")
      }
      if !server.isRunning { break }
    }
    server.signal(SIGTERM)
    return faults
  }
}
