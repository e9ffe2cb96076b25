import TestSupport
import Testing

@testable import SyncServer

@Suite struct SharedWorkTests {
  private func begin(_ work: SharedWork<String, Int>, _ started: Counter) -> Task<Int, any Error> {
    Task {
      try await work.value(for: "a") {
        started.increment()
        try await Task.sleep(for: .seconds(600))
        return 1
      }
    }
  }

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func workIsCancelledWhenItsLastCallerIs() async throws {
    let (work, started) = (SharedWork<String, Int>(), Counter())
    let callers = (0..<5).map { _ in begin(work, started) }
    try await eventually("it began") { started.value == 1 }
    try await eventually("all have joined") { work.callerCount == 5 }
    for caller in callers.dropLast() { caller.cancel() }
    try await eventually("four have left") { work.callerCount == 1 }
    #expect(started.value == 1)
    callers[4].cancel()
    for caller in callers {
      await #expect(throws: CancellationError.self) { try await caller.value }
    }
    #expect(work.callerCount == 0)
  }

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func callerAfterACancelledWorkBeginsItsOwn() async throws {
    let (work, started) = (SharedWork<String, Int>(), Counter())
    let first = begin(work, started)
    try await eventually("it began") { started.value == 1 }
    first.cancel()
    try await eventually("it has left") { work.callerCount == 0 }
    #expect(try await work.value(for: "a") { 2 } == 2)
  }
}
