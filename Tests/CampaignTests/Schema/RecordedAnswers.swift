import ListChanges
import ListModel
import ListStore
import StoreTestSupport
import SyncService

/// Compares a store's answers with those recorded when its schema was the newest.
enum RecordedAnswers {
  /// The differences between the answers; empty if they are equal.
  static func differences(
    of service: SyncService, from recorded: StoreFixture
  ) async throws -> [String] {
    let answers = try await StoreAnswers(of: service)
    var differences: [String] = []
    let names = recorded.lists.map(\.name).sorted()
    if answers.lists.keys.map(\.text).sorted() != names { differences.append("the lists") }
    for list in recorded.lists {
      guard let found = answers.lists[ListName(list.name)!] else { continue }
      differences += try Self.differences(of: found, from: list).map { "\(list.name): \($0)" }
      let titlePath = try await service.titlePath(of: ListName(list.name)!)
      if titlePath?.description != list.titlePath { differences.append("titles of \(list.name)") }
    }
    let report = try await service.verify(depth: .everything)
    differences += report.faults.map { "verification: \($0)" }
    if report.verified.count != names.count { differences.append("what is verified") }
    let former = try await service.formerLists().map { list in
      [list.name.text, list.cursor.description] + [list.newName?.text].compactMap(\.self)
    }
    if former != recorded.formerLists ?? [] { differences.append("former lists") }
    return try await differences + tokenDifferences(of: service, from: recorded.tokens ?? [])
  }

  private static func tokenDifferences(
    of service: SyncService, from recorded: [StoreFixture.RecordedToken]
  ) async throws -> [String] {
    let tokens = try await service.tokens()
    let access = AccessList(tokens)
    var differences = tokens.count == recorded.count ? [] : ["tokens"]
    for (token, expected) in zip(tokens, recorded) {
      let texts = token.grants.map { [$0.right.rawValue, $0.lists.text] }
      let times = [token.createdAt, token.revokedAt].map { $0?.millisecondsSince1970 }
      if token.name.text != expected.name || texts != expected.grants
        || times != [expected.createdAt, expected.revokedAt]
      {
        differences.append("token \(expected.name)")
      }
      let caller = access.caller(presenting: expected.secret)
      if caller?.name?.text != (expected.revokedAt == nil ? expected.name : nil) {
        differences.append("who presents the secret of \(expected.name)")
      }
    }
    return differences
  }

  private static func differences(
    of found: ListAnswers, from list: StoreFixture.Recorded
  ) throws -> [String] {
    var differences: [String] = []
    func expect(_ holds: Bool, _ what: String) { if !holds { differences.append(what) } }
    let versions = list.versions.sorted { $0.version > $1.version }
    expect(found.idRule == list.idRule, "id rule")
    expect(found.summary.oldest == Version(list.oldest), "oldest version")
    expect(found.log.map(\.version.number) == versions.map(\.version), "versions")
    expect(
      found.tags.map { "\($0.tag.name) \($0.tag.version)" }.sorted()
        == list.tags.map { "\($0.name) \($0.version)" }.sorted(), "tags")
    for (record, expected) in zip(found.log, versions) {
      let version = expected.version
      expect("\(record.chain)" == expected.chain, "chain of \(version)")
      expect("\(record.checksum)" == expected.checksum, "checksum of \(version)")
      expect(record.note.time.millisecondsSince1970 == expected.time, "time of \(version)")
      expect(record.note.author == expected.author, "author of \(version)")
      expect(record.note.message == expected.message, "message of \(version)")
    }
    let snapshots = try Dictionary(
      uniqueKeysWithValues: [(Version.zero, Snapshot.empty)]
        + versions.map { (Version($0.version), try $0.snapshot()) })
    expect(found.snapshots == snapshots, "snapshots")
    expect(found.deltas.count == snapshots.count * snapshots.count, "count of deltas")
    for (pair, delta) in found.deltas {
      guard let old = snapshots[pair.from], let new = snapshots[pair.to] else { continue }
      expect(delta.changes == old.changes(to: new), "delta from \(pair.from) to \(pair.to)")
    }
    return differences
  }
}
