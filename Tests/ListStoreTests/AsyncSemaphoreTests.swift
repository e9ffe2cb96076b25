import Synchronization
import TestSupport
import Testing

@testable import ListStore

@Suite struct AsyncSemaphoreTests {
  @Test(arguments: [1, 3])
  func concurrentTasksStayWithinTheCountAndAllRun(count: Int) async throws {
    let (semaphore, seen) = (AsyncSemaphore(count: count), Seen())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask {
          try await semaphore.run {
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

  @Test func failedTaskFreesItsPlaceForTheNext() async throws {
    let semaphore = AsyncSemaphore(count: 1)
    await #expect(throws: StoreError.self) { try await semaphore.run { throw StoreError.busy } }
    try await semaphore.run {}
  }

  @Test func bodyThatDoesNotWaitRunsOnlyWhileThereIsRoom() async throws {
    let semaphore = AsyncSemaphore(count: 1)
    try await semaphore.run { #expect(await semaphore.runIfFree { 1 } == nil) }
    await #expect(throws: StoreError.self) {
      try await semaphore.runIfFree { throw StoreError.busy }
    }
    #expect(await semaphore.runIfFree { 1 } == 1)
  }

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func cancelledTaskGivesUpItsPlaceAndTheNextOneRuns() async throws {
    let (semaphore, isBusy, ran) = (AsyncSemaphore(count: 1), Counter(), Counter())
    let first = Task {
      try await semaphore.run {
        isBusy.increment()
        try await Task.sleep(for: .seconds(600))
      }
    }
    try await eventually("the first runs") { isBusy.value == 1 }
    let waiting = (0..<3).map { _ in Task { try await semaphore.run { ran.increment() } } }
    try await eventually("three wait") { semaphore.waitingCount == 3 }
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
