import Foundation
import ListChanges
import ListDocuments
import ListModel
import PostgresTestSupport
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// Real lists in a database, compared with the counts of a program that shares no code with this
/// one, and with their cursors in a file.
@Suite(.needsPostgreSQL, .enabled(if: RealList.areThere, Comment(rawValue: RealList.skipNote)))
struct RealHistoryTests {
  @Test(arguments: RealList.several)
  func databaseHasTheCursorsOfAFileAndTheReferenceCounts(list: RealList) async throws {
    let (database, file) = (try PostgresTest("real"), try TestStore())
    let name = try #require(ListName(list.name))
    let (spec, truth) = (try list.spec(), try list.shareOfTruth())
    var options = SnapshotOptions(
      format: SnapshotOptions.Format(rawValue: spec.format), idRule: try IDRule(spec.id))
    options.duplicates = .keepFirst
    let reader = SnapshotReader(options: options)
    var cursors: [Cursor] = []
    try await list.withVersions { folder in
      for version in truth.versions {
        let bytes = try Array(Data(contentsOf: folder.appendingPathComponent(version.file)))
        let request = CommitRequest(list: name, snapshot: try reader.read(bytes).snapshot)
        let state = try await database.service.commit(request).state
        #expect(try await file.service.commit(request).state == state)
        cursors.append(try #require(state.cursor))
      }
    }
    for pair in truth.pairs {
      let changes = try await database.service.delta(
        of: name, since: .cursor(cursors[pair.from - 1]), to: .cursor(cursors[pair.to - 1])
      ).changes
      let found = [
        changes.removed.count, changes.inserted.count, changes.updated.count, changes.moved.count,
      ]
      #expect(
        found == [pair.removed, pair.inserted, pair.updated, pair.moved],
        "\(list) \(pair.from) to \(pair.to)")
    }
    #expect(try await database.service.verify().faults == [])
  }
}
