import Foundation
import Hashing
import ListChanges
import ListDocuments
import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// Real lists, compared with the counts of a program that shares no code with this one.
@Suite(.enabled(if: RealList.areThere, Comment(rawValue: RealList.skipNote)))
struct RealListTests {
  @Test(arguments: RealList.several)
  func versionsAndPairsMatchTheReferenceData(list: RealList) async throws {
    let history = try await History.committing(list)
    let truth = try list.shareOfTruth()
    #expect(truth.pairs.count > 0)
    for pair in truth.pairs {
      let (from, to) = (history.cursors[pair.from - 1], history.cursors[pair.to - 1])
      let delta = try await history.store.service.delta(
        of: history.name, since: .cursor(from), to: .cursor(to))
      let context = Comment(rawValue: "\(list) \(pair.from) to \(pair.to)")
      #expect(delta.changes.removed.count == pair.removed, context)
      #expect(delta.changes.inserted.count == pair.inserted, context)
      #expect(delta.changes.updated.count == pair.updated, context)
      #expect(delta.changes.moved.count == pair.moved, context)

      // The encoded document turns one snapshot into the other.
      let document = try DeltaDocument(DeltaDocument(delta).encoded(.line))
      let result = try document.applied(to: history.snapshots[pair.from - 1])
      #expect(
        SnapshotDocument.encode(result)
          == SnapshotDocument.encode(history.snapshots[pair.to - 1]), context)
    }
    try await history.expectEveryVersionAsCommitted()
    let report = try await history.store.service.verify()
    #expect(report.faults == [])
    #expect(report.verified.map(\.list) == [history.name])
  }

  @Test(arguments: RealList.single)
  func committingTheShownListCreatesNoVersion(list: RealList) async throws {
    let history = try await History.committing(list)
    let service = history.store.service
    let shown = try await service.snapshot(of: history.name)
    #expect(shown.snapshot == history.snapshots[0])
    let text = SnapshotDocument.encode(shown.snapshot)
    let rule = try IDRule(list.spec().id)
    let read = try SnapshotReader(options: SnapshotOptions(idRule: rule)).read(text)
    let outcome = try await service.commit(
      CommitRequest(list: history.name, snapshot: read.snapshot))
    #expect(outcome == .unchanged(shown.state))
    #expect(try await service.log(of: history.name).count == 1)
  }
}

/// All versions of a real list in a store.
private struct History {
  let store: TestStore
  let name: ListName
  /// For each true version: the committed snapshot, and its cursor.
  var snapshots: [Snapshot] = []
  var cursors: [Cursor] = []

  /// Commits the versions in order, and compares each with the truth.
  static func committing(_ list: RealList) async throws -> History {
    var history = History(store: try TestStore(), name: try #require(ListName(list.name)))
    let (spec, truth) = (try list.spec(), try list.shareOfTruth())
    try await list.withVersions { folder in
      for version in truth.versions {
        let bytes = try Array(Data(contentsOf: folder.appendingPathComponent(version.file)))
        try await history.commit(bytes, version, spec)
      }
    }
    return history
  }

  private mutating func commit(
    _ bytes: [UInt8], _ version: RealList.Truth.Version, _ spec: RealList.Spec
  ) async throws {
    var options = SnapshotOptions(
      format: SnapshotOptions.Format(rawValue: spec.format), idRule: try IDRule(spec.id))
    let context = Comment(rawValue: "\(name) version \(version.version)")
    if version.status != "ok" {
      expectRefusal(of: bytes, version, options)
      options.duplicates = .keepFirst
    }
    let read = try SnapshotReader(options: options).read(bytes)
    let leftOut = (version.duplicateCount ?? 0) + (version.missingCount ?? 0)
    #expect(read.leftOutCount == leftOut, context)
    #expect(read.snapshot.items.count == version.items - leftOut, context)
    if let expected = version.idsDigest {
      #expect(Self.digest(of: read.snapshot) == expected, context)
    }
    let outcome = try await store.service.commit(
      CommitRequest(list: name, snapshot: read.snapshot))
    snapshots.append(read.snapshot)
    cursors.append(try #require(outcome.state.cursor))
  }

  /// Replays every step as its document, and reads some versions whole.
  func expectEveryVersionAsCommitted() async throws {
    var replica = Snapshot.empty
    var seen: [Version: Snapshot] = [.zero: .empty]
    try await store.service.replay(name, from: .version(.zero), to: .head) { delta in
      replica = try DeltaDocument(DeltaDocument(delta).encoded(.line)).applied(to: replica)
      seen[try #require(delta.to.cursor).version] = replica
    }
    for (cursor, snapshot) in zip(cursors, snapshots) {
      #expect(seen[cursor.version] == snapshot, "\(name) \(cursor) replayed")
    }
    for position in stride(from: 0, to: cursors.count, by: max(1, cursors.count / 8)) {
      let stored = try await store.service.snapshot(of: name, at: .cursor(cursors[position]))
      #expect(stored.snapshot == snapshots[position], "\(name) \(cursors[position]) read")
    }
  }

  /// A version that breaks a rule is refused, with the positions of its items.
  private func expectRefusal(
    of bytes: [UInt8], _ version: RealList.Truth.Version, _ options: SnapshotOptions
  ) {
    let error = #expect(throws: SnapshotError.self) {
      try SnapshotReader(options: options).read(bytes)
    }
    if case .missingAndDuplicateIDs(let missing, let repeated) = error {
      expect(missing, of: version)
      expect(repeated, of: version)
    } else {
      expect(error, of: version)
    }
  }

  private func expect(_ error: SnapshotError?, of version: RealList.Truth.Version) {
    switch error {
    case .duplicateIDs(let samples, let count):
      #expect(count == version.duplicateCount)
      #expect(samples.allSatisfy { $0.firstPosition.line <= $0.secondPosition.line })
    case .noID(let samples, let count):
      #expect(count == version.missingCount)
      #expect(!samples.isEmpty)
    default: Issue.record("\(name) \(version.version): refused with \(String(describing: error))")
    }
  }

  /// SHA-256 of the ids in order, each followed by a line feed.
  private static func digest(of snapshot: Snapshot) -> String {
    let text = snapshot.items.map { $0.id.text + "\n" }.joined()
    return SHA256.digest(of: Array(text.utf8)).bytes.map { String(format: "%02x", $0) }.joined()
  }
}
