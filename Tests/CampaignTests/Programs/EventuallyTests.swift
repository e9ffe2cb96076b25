import TestSupport
import Testing

@Suite struct EventuallyTests {
  private struct NotYet: Error {}

  /// A former fault: a test asked a standby for a table that it had not created yet.
  @Test func conditionThatThrowsBeforeItsTimeIsTriedAgain() async throws {
    var tryCount = 0
    try await eventually("the third try succeeds") {
      tryCount += 1
      if tryCount < 3 { throw NotYet() }
      return true
    }
    #expect(tryCount == 3)
  }

  @Test func lastErrorIsShownWhenTheTimeIsOver() async {
    await #expect {
      try await eventually("it works", within: 0.01) { throw NotYet() }
    } throws: { error in
      "\(error)".contains("it works; at the end: NotYet")
    }
    var tryCount = 0
    await #expect {
      try await eventually("it works", within: 0.05) {
        tryCount += 1
        if tryCount == 1 { throw NotYet() }
        return false
      }
    } throws: { error in
      (error as? NeverHappened).map { $0.lastError == nil } ?? false
    }
  }

  @Test func cancellationEndsTheWait() async {
    let wait = Task { try await eventually("nothing") { false } }
    wait.cancel()
    await #expect(throws: NeverHappened.self) { try await wait.value }
  }
}
