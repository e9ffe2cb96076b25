import Foundation
import ListDocuments
import ListModel
import Publishing
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncClient

/// Publications of the real lists beside the checkout.
@Suite(.enabled(if: RealList.areThere, "\(RealList.skipNote)"))
struct RealPublicationTests {
  /// The publication is renewed with each version.
  @Test(arguments: RealList.several)
  func everyVersionCatchesUpToTheNextOneAndToTheLast(list: RealList) async throws {
    let name = try #require(ListName(list.name))
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let test = try TestStore()
    let publisher = Publisher(test.service, folder: folder.path)
    let transport = FolderTransport(folder)
    let (spec, truth) = (try list.spec(), try list.shareOfTruth())
    var copies: [ListCopy] = [.empty]
    func catchUp(_ copies: ArraySlice<ListCopy>, to last: ListCopy) async throws {
      for copy in copies {
        var machine = ReplicaMachine.Options(list: name)
        (machine.watches, machine.retry.tryLimit) = (false, 1)
        let session = ReplicaSession(
          machine, origin: AddressOrigin(transport), storage: ReplicaMemory(copy))
        try await session.start()
        try await session.settle()
        let reached = await session.copy
        #expect(reached == last, "\(copy.cursor) to \(last.cursor)")
      }
    }
    try await list.withVersions { versions in
      for version in truth.versions {
        var options = SnapshotOptions(
          format: SnapshotOptions.Format(rawValue: spec.format), idRule: try IDRule(spec.id))
        if version.status != "ok" { options.duplicates = .keepFirst }
        let bytes = try Data(contentsOf: versions.appendingPathComponent(version.file))
        let read = try SnapshotReader(options: options).read(Array(bytes))
        _ = try await test.service.commit(CommitRequest(list: name, snapshot: read.snapshot))
        let (state, snapshot) = try await test.service.snapshot(of: name, at: .head)
        guard state.version.number >= copies.count else { continue }
        copies.append(try ListCopy(state: state, snapshot: snapshot))
        _ = try await publisher.publish(name)
        try await catchUp(copies.suffix(2), to: copies[copies.count - 1])
      }
    }
    try await catchUp(copies[...], to: copies[copies.count - 1])
    #expect(copies.count > 2)
  }
}
