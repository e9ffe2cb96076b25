import ListDocuments
import ListModel
import StoreTestSupport
import SyncService
import Testing

@testable import SyncServer

/// A tag never names two byte strings at one address, over all addresses and through all acts.
@Suite struct EntityTagLawTests {
  /// A cache's key of an answer, without its tag.
  private struct Key: Hashable {
    let target: String
    let coding: String
  }

  /// The bytes of every answer seen, by tag.
  private typealias Seen = [Key: [String: [UInt8]]]

  private static let parks = "/v1/lists/parks"

  private static func targets(_ cursors: [Cursor]) -> [String] {
    let revisions =
      ["0", "1", "3", "head~1", "spring", "2026-11-21", "3-00000000000000000000000000000000"]
      + Set(cursors.prefix(2) + cursors.suffix(1)).map(\.description)
    var targets = [
      "/v1/lists", "\(parks)", "\(parks)/versions", "\(parks)/tags", "\(parks)/prunings",
      "\(parks)/items/a", "\(parks)/items?item=a", "\(parks)/items/a/history",
      "\(parks)/items/a/places",
      "\(parks)/places?item=a&first=1&limit=1", "\(parks)/bundle", "/healthz",
      "/openapi.json",
    ]
    for revision in revisions {
      targets.append("\(parks)/versions/\(revision)")
      targets.append("\(parks)/bundle?since=\(revision)")
      targets.append("\(parks)/bundle?to=\(revision)")
      targets.append("\(parks)/delta?since=\(revision)")
    }
    for revision in ["0", "3"] + cursors.prefix(1).map(\.description) {
      for rest in ["fallback=snapshot", "smaller=true", "limit=1", "to=spring"] {
        targets.append("\(parks)/delta?since=\(revision)&\(rest)")
      }
    }
    return targets
  }

  /// Acts that change a server's answers; each receives the commits before it.
  private static let acts: [@Sendable (TestServer) async throws -> Void] = [
    { try await $0.commit("a", "b") },
    { try await $0.commit("b", "c=1", "a") },
    { server in _ = try await server.test.service.tag(TagName("spring")!, of: .parks) },
    { try await $0.commit("c=2", "d", "e", "f") },
    { server in
      _ = try await server.test.service.tag(
        TagName("spring")!, of: .parks, isForced: true)
    },
    { server in
      // A commit without changes can still store an id rule.
      let list = try await server.get(parks)
      let answer = try await server.send(
        "PUT", "\(parks)?id=%2Fid", ["If-Match": "*"], body: list.body)
      #expect(answer.status == 200, "\(answer.text)")
    },
    { server in
      _ = try await server.test.service.prune(
        PruneRequest(list: .parks, rule: RetentionRule(keepLast: 2)!))
    },
    { try await $0.commit() },
    { server in
      _ = try await server.test.service.prune(
        PruneRequest(list: .parks, rule: RetentionRule(keepLast: 1)!))
    },
    { try await $0.commit("a") },
  ]

  @Test func entityTagIdentifiesOneByteStringPerAddressInEveryHistory() async throws {
    var seen: Seen = [:]
    // The second history begins like the first and then differs, as after a restored backup.
    for order in [Array(Self.acts.indices), [0, 1, 2, 3, 7, 4, 9, 8, 3, 5]] {
      try await TestServer.run(.inProcess) { server in
        var cursors: [Cursor] = []
        for act in order {
          try await Self.acts[act](server)
          try await server.headCache.refresh()
          if let head = server.headCache.head(of: .parks)?.head.cursor { cursors.append(head) }
          for target in Self.targets(cursors) {
            try await look(at: target, server, &seen)
          }
        }
      }
    }
    #expect(seen.values.map(\.count).reduce(0, +) > 300, "too few answers have tags")
  }

  private func look(
    at target: String, _ server: TestServer, _ seen: inout Seen
  ) async throws {
    // All other answers here are too short to be packed.
    for coding in target.contains("bundle") ? ["identity", "gzip"] : ["identity"] {
      let answer = try await server.get(target, ["Accept-Encoding": coding])
      guard answer.status == 200, let tag = answer["ETag"] else { continue }
      let key = Key(target: target, coding: answer["Content-Encoding"] ?? "")
      if let known = seen[key]?[tag] {
        #expect(known == answer.body, "\(target) \(tag) has other bytes than before")
      }
      seen[key, default: [:]][tag] = answer.body
      // A 304 must be right.
      for (old, _) in (seen[key] ?? [:]).filter({ $0.value != answer.body }).prefix(2) {
        let again = try await server.get(
          target, ["Accept-Encoding": coding, "If-None-Match": old])
        #expect(again.status == 200, "\(target) \(old) is said to be unchanged")
      }
    }
  }
}
