import Synchronization
import TestSupport
import Testing

@testable import SyncServer

@Suite struct TurnsTests {
  @Test(arguments: [1, 3])
  func concurrentTurnsStayWithinTheCountAndAllRun(count: Int) async throws {
    let (turns, seen) = (Turns(count: count), Seen())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask {
          try await turns.run {
            seen.enter()
            await Task.yield()
            seen.leave()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(seen.most <= count)
    #expect(seen.all == 100)
  }

  @Test func failedTurnFreesItsPlaceForTheNext() async throws {
    let turns = Turns(count: 1)
    await #expect(throws: Problem.self) { try await turns.run { throw Problem.invalid("no") } }
    try await turns.run {}
  }

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func cancelledTaskGivesUpItsPlaceAndTheNextOneRuns() async throws {
    let (turns, isBusy, ran) = (Turns(count: 1), Counter(), Counter())
    let first = Task {
      try await turns.run {
        isBusy.increment()
        try await Task.sleep(for: .seconds(600))
      }
    }
    try await eventually("the first has its turn") { isBusy.value == 1 }
    let waiting = (0..<3).map { _ in Task { try await turns.run { ran.increment() } } }
    try await eventually("three wait") { turns.waitingCount == 3 }
    waiting[0].cancel()
    await #expect(throws: CancellationError.self) { try await waiting[0].value }
    #expect(ran.value == 0)
    first.cancel()
    for task in waiting.dropFirst() { try await task.value }
    #expect(ran.value == 2)
  }
}

private final class Seen: Sendable {
  private let counts = Mutex((now: 0, most: 0, all: 0))

  var most: Int { counts.withLock { $0.most } }
  var all: Int { counts.withLock { $0.all } }

  func enter() {
    counts.withLock { counts in
      counts.now += 1
      counts.most = max(counts.most, counts.now)
      counts.all += 1
    }
  }

  func leave() { counts.withLock { $0.now -= 1 } }
}
