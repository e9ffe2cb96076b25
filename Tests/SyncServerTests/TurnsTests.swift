import Synchronization
import Testing

@testable import SyncServer

@Suite struct TurnsTests {
  @Test(arguments: [1, 3])
  func concurrentTurnsStayWithinTheCountAndAllRun(count: Int) async {
    let (turns, seen) = (Turns(count: count), Seen())
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask {
          await turns.run {
            seen.enter()
            await Task.yield()
            seen.leave()
          }
        }
      }
    }
    #expect(seen.most <= count)
    #expect(seen.all == 100)
  }

  @Test func failedTurnFreesItsPlaceForTheNext() async throws {
    let turns = Turns(count: 1)
    await #expect(throws: Problem.self) { try await turns.run { throw Problem.invalid("no") } }
    await turns.run {}
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
