import ListModel
import ListStore
import SyncService
import TestSupport

/// The store from which a killed process applies versions, and its twin.
package struct KillSource: Sendable {
  package let test: TestStore
  package private(set) var twin = TwinStore()

  package init(seed: UInt64) async throws {
    test = try TestStore()
    for number in 1...KillAct.sourceVersionCount {
      var random = SeededRandom(seed: seed &+ UInt64(number))
      let count = Int.random(in: 4...16, using: &random)
      let items = (0..<16).shuffled(using: &random).prefix(count).map {
        KillAct.item("s\($0)", Int.random(in: 0...2, using: &random))
      }
      let snapshot = Snapshot(uniqueItems: items + [KillAct.item("last", number)])
      var request = CommitRequest(list: .parks, snapshot: snapshot)
      request.author = "source"
      _ = try await test.service.commit(request)
      _ = try twin.commit(request, now: TestStore.noon)
    }
  }
}
