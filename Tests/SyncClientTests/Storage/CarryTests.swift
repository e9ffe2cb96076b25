import ListChanges
import ListModel
import TestSupport
import Testing

@testable import SyncClient

@Suite struct CarryTests {
  @Test func valuesFollowTheirItemsAndAreMadeOnlyForNewOrUpdatedOnes() {
    var random = SeededRandom.forThisRun()
    for _ in 0..<200 {
      let server = ModelServer.random(versionCount: 2, using: &random)
      let (old, new) = (server.history[1].snapshot, server.history[2].snapshot)
      let changes = old.changes(to: new)
      var madeCount = 0
      let values = changes.carrying(old.items.map(\.content.description)) { change in
        madeCount += 1
        return change.element.content.description
      } update: { change, value in
        madeCount += 1
        #expect(value == change.old.content.description)
        return change.new.content.description
      }
      #expect(values == new.items.map(\.content.description), "seed \(random.seed)")
      #expect(madeCount == changes.inserted.count + changes.updated.count)
    }
  }
}
