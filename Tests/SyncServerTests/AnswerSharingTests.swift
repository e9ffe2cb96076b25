import ListDocuments
import ListModel
import Synchronization
import TestSupport
import Testing

@testable import SyncServer

@Suite struct AnswerSharingTests {
  @Test func answerForConcurrentRequestsIsMadeOnce() async throws {
    let cache = AnswerCache(byteLimit: 1 << 20)
    let (asked, made) = (Counter(), Counter())
    try await withThrowingTaskGroup(of: Answer.self) { group in
      for _ in 0..<50 {
        group.addTask {
          asked.increment()
          return try await cache.answer(for: Self.key("a")) {
            // It lasts until all callers have asked.
            while asked.value < 50 { await Task.yield() }
            made.increment()
            return Self.made(byteCount: 100)
          }
        }
      }
      for try await answer in group { #expect(answer.heldByteCount == 100) }
    }
    #expect(made.value == 1)
  }

  /// A former fault: a request that came just before the answer was kept made it again after that.
  @Test func answerIsMadeOnceEvenIfRequestsComeWhileItIsKept() async throws {
    let cache = AnswerCache(byteLimit: 1 << 20)
    for round in 0..<5_000 {
      let made = Counter()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            _ = try await cache.answer(for: Self.key("\(round)")) {
              made.increment()
              return Self.made(byteCount: 100)
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(made.value == 1)
    }
  }

  @Test func answerTooLargeToCacheIsSharedWhileARequestHoldsIt() async throws {
    let cache = AnswerCache(byteLimit: 1 << 20)
    let count = Counter()
    func ask() async throws -> Answer {
      try await cache.answer(for: Self.key("a")) {
        count.increment()
        return Self.made(byteCount: 1 << 20)
      }
    }
    var held: Answer? = try await ask()
    #expect(try await ask().heldByteCount == 1 << 20)
    #expect(count.value == 1)
    #expect(cache.held.count == 1 << 20)
    #expect(held != nil)
    held = nil
    // The task that made the answer may still be ending.
    try await eventually("nobody holds it, and it is not counted") { cache.held.count == 0 }
    _ = try await ask()
    #expect(count.value == 2)
  }

  /// A single answer is never refused.
  @Test func answerIsRefusedWhileTooManyBytesAreInFlight() async throws {
    let cache = AnswerCache(byteLimit: 1 << 20, heldByteLimit: 2 << 20)
    var held: [Answer] = []
    for name in ["a", "b", "c"] {
      held.append(try await cache.answer(for: Self.key(name)) { Self.made(byteCount: 1 << 20) })
    }
    let refusal = await #expect(throws: Problem.self) {
      try await cache.answer(for: Self.key("d")) { Self.made(byteCount: 1 << 20) }
    }
    #expect(refusal?.kind == .busy)
    let small = try await cache.answer(for: Self.key("e")) { Self.made(byteCount: 100) }
    #expect(small.heldByteCount == 100, "a small answer was refused")
    held = []
    let large = try await cache.answer(for: Self.key("d")) { Self.made(byteCount: 8 << 20) }
    #expect(large.heldByteCount == 8 << 20)
  }

  @Test func failureReachesAllRequestsAndIsNotCached() async throws {
    let cache = AnswerCache(byteLimit: 1 << 20)
    await #expect(throws: Problem.self) {
      try await cache.answer(for: Self.key("a")) { throw Problem.invalid("not this time") }
    }
    let answer = try await cache.answer(for: Self.key("a")) { Self.made(byteCount: 7) }
    #expect(answer.heldByteCount == 7)
  }

  @Test func answerOfAnotherHeadIsReturnedButNotCached() async throws {
    let cache = AnswerCache(byteLimit: 1 << 20)
    _ = try await cache.answer(for: Self.key("a")) {
      AnswerCache.Made(answer: Self.made(byteCount: 1).answer, isOfKey: false)
    }
    let answer = try await cache.answer(for: Self.key("a")) { Self.made(byteCount: 2) }
    #expect(answer.heldByteCount == 2)
  }

  @Test func cachedBytesStayBoundedAndTheLastUsedAnswersRemain() async throws {
    let cache = AnswerCache(byteLimit: 100_000)
    for number in 0..<200 {
      _ = try await cache.answer(for: Self.key("\(number)")) { Self.made(byteCount: 5_000) }
      #expect(cache.byteCount <= 100_000)
      _ = try await cache.answer(for: Self.key("0")) { Self.made(byteCount: 5_000) }
    }
    let hits = cache.hits
    _ = try await cache.answer(for: Self.key("0")) { Self.made(byteCount: 1) }
    #expect(cache.hits == hits + 1, "what was used last was let go")
  }

  private static func key(_ name: String) -> AnswerCache.Key {
    AnswerCache.Key(request: name, head: Cursor(version: .zero, chain: .zero), oldest: .zero)
  }

  private static func made(byteCount: Int) -> AnswerCache.Made {
    AnswerCache.Made(answer: .json([UInt8](repeating: 0x20, count: byteCount)), isOfKey: true)
  }
}

extension Answer {
  fileprivate var heldByteCount: Int {
    if case .buffered(let body) = body { body.byteCount } else { -1 }
  }
}
