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
  /// Each version catches up to each later one. The publication is renewed with each version.
  @Test(arguments: RealList.several)
  func everyVersionCatchesUpToEveryLaterOne(list: RealList) async throws {
    let name = try #require(ListName(list.name))
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let test = try TestStore()
    let publisher = Publisher(test.service, folder: folder.path)
    let transport = FolderTransport(folder)
    let (spec, truth) = (try list.spec(), try list.shareOfTruth())
    var copies: [ListCopy] = []
    try await list.withVersions { versions in
      for version in truth.versions {
        var options = SnapshotOptions(
          format: SnapshotOptions.Format(rawValue: spec.format), idRule: try IDRule(spec.id))
        if version.status != "ok" { options.duplicates = .keepFirst }
        let bytes = try Data(contentsOf: versions.appendingPathComponent(version.file))
        let read = try SnapshotReader(options: options).read(Array(bytes))
        _ = try await test.service.commit(CommitRequest(list: name, snapshot: read.snapshot))
        let (state, snapshot) = try await test.service.snapshot(of: name, at: .head)
        guard state.version.number > copies.count else { continue }
        copies.append(try ListCopy(state: state, snapshot: snapshot))
        _ = try await publisher.publish(name)
        for copy in [.empty] + copies {
          var machine = ReplicaMachine.Options(list: name)
          (machine.watches, machine.retry.tryLimit) = (false, 1)
          let session = ReplicaSession(
            machine, origin: AddressOrigin(transport), storage: ReplicaMemory(copy))
          try await session.start()
          try await session.settle()
          let reached = await session.copy
          #expect(reached == copies[copies.count - 1], "\(copy.cursor) to \(state.version)")
        }
      }
    }
    #expect(copies.count > 1)
  }
}
