import SyncClient
import Terminal
import Testing

@testable import listsync_pull

/// What a pull that gave up advises.
struct PullFailureTests {
  private func failure(_ cause: Unavailability) throws -> Failure {
    try #require(Failure(ReplicaError.gaveUp(tryCount: 4, cause)))
  }

  /// Former fault: the advice was to try again later, which a cache with the head of a former
  /// history makes no better.
  @Test func publicationThatIsBehindMayComeFromACacheOfAFormerHistory() throws {
    let behind = try failure(.behind(reason: "whole/2-0f63.json is missing"))
    #expect(behind.code == .busy && behind.message.contains("whole/2-0f63.json is missing"))
    let advice = try #require(behind.advice)
    for words in ["max-age", "files of a former history", "emptied", "the web server itself"] {
      #expect(advice.contains(words))
    }
    #expect(!advice.contains("later"))
  }

  @Test func serverThatCannotAnswerNowIsAskedLater() throws {
    let busy = try failure(.status(503, detail: nil))
    #expect(busy.code == .busy && busy.advice == "Your copy is unchanged: try again later.")
  }
}
