import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@Suite struct StoreAnswersTests {
  @Test func reopenedStoreGivesTheSameAnswersAndAChangedOneDoesNot() async throws {
    var random = Campaign("answers").random()
    let test = try TestStore()
    var history = TestHistory(test)
    try await history.commit(history.newItems(8))
    for _ in 0..<6 { try await history.commitEdits(3, &random) }
    let answers = try await StoreAnswers(of: test.service)
    let opened = SyncService(store: try SQLiteStore(readingFrom: test.path)) { TestStore.noon }
    #expect(try await StoreAnswers(of: opened) == answers, "seed \(random.seed)")
    #expect(answers.lists[.parks]?.snapshots.count == history.snapshots.count)
    try await history.commit(history.newItems(1))
    #expect(try await StoreAnswers(of: opened) != answers, "seed \(random.seed)")
  }
}
