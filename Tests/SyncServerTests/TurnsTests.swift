import Synchronization
import Testing

@testable import SyncServer

@Suite struct TurnsTests {
  @Test("no more than so many go at a time, and all have their turn", arguments: [1, 3])
  func noMoreThanSoMany(count: Int) async {
    let (turns, seen) = (Turns(count: count), Seen())
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask {
          await turns.take {
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

  @Test("a turn that fails is passed on")
  func failurePassesOn() async throws {
    let turns = Turns(count: 1)
    await #expect(throws: Problem.self) { try await turns.take { throw Problem.invalid("no") } }
    await turns.take {}
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
