import ListModel
import StoreTestSupport
import Testing

/// Tests the judge of concurrent calls with valid and with impossible histories.
@Suite struct CallHistoryTests {
  /// A list with successive commits, in which a test changes one thing.
  private struct Story {
    var twin = TwinList(ListName("l")!)
    var calls: [RecordedCall] = []
    private var time: UInt64 = 0

    private func next(_ caller: String) -> Int { calls.filter { $0.caller == caller }.count + 1 }

    mutating func add(
      _ caller: String, invokedAt: UInt64? = nil, _ outcome: RecordedCall.Outcome
    ) {
      time += 10
      calls.append(
        RecordedCall(
          caller: caller, number: next(caller), list: "l", invokedAt: invokedAt ?? time,
          respondedAt: time + 5, outcome: outcome))
    }

    var head: Cursor { twin.headCursor }

    /// Commits to the twin, and records the call.
    mutating func commit(
      _ caller: String, _ change: RecordedCall.Change, expecting expected: Cursor? = nil,
      invokedAt: UInt64? = nil
    ) {
      let snapshot = change.applied(to: twin.snapshot(twin.head))
      twin.commit(
        snapshot,
        CommitNote(time: TestStore.noon, author: caller, message: "\(next(caller))"))
      add(
        caller, invokedAt: invokedAt,
        .committed(
          .init(
            state: head, root: Root(of: snapshot), expected: expected, change: change)))
    }

    mutating func count(_ caller: String, expecting expected: Cursor? = nil) {
      let number = twin.snapshot(twin.head).count + 1
      commit(caller, .count(number, by: caller), expecting: expected ?? head)
    }

    func read(_ version: Int) -> RecordedCall.Outcome {
      .read(
        twin.cursor(version), root: twin.state(version).root)
    }

    func caughtUp(_ from: Int, _ to: Int, oldest: Int = 1) -> RecordedCall.Outcome {
      .caughtUp(
        .init(
          from: twin.cursor(from), to: twin.cursor(to), root: twin.state(to).root,
          digest: ChangeDigest.of(twin.changes(from, to)),
          oldest: Version(oldest), more: to < twin.head))
    }

    func history(oldest: Int = 1) -> CallHistory {
      CallHistory(
        calls: calls,
        final: .init(
          oldest: Version(oldest), log: Array(twin.log.prefix(twin.head - oldest + 1)),
          head: twin.snapshot(twin.head)))
    }

    var faults: [String] { history().faults() }
  }

  /// Three versions: the list, and two counts.
  private func story() -> Story {
    var story = Story()
    story.commit("setup", .mark("m", 1))
    story.count("a")
    story.count("b")
    return story
  }

  @Test func sequentialHistoryHasNoFaults() {
    var story = story()
    story.add("r", story.read(3))
    story.add("r", story.caughtUp(1, 3))
    story.add("a", .refused(expected: story.twin.cursor(2), head: story.head))
    story.add("p", .pruned(keepLast: 2, oldest: Version(2)))
    story.add("r", .tooOld(since: story.twin.cursor(1), oldest: Version(2)))
    story.add("r", story.caughtUp(2, 3, oldest: 2))
    #expect(story.history(oldest: 2).faults() == [])
  }

  @Test func readOfAHeadOlderThanAnAcknowledgedOneIsReported() {
    var story = story()
    story.add("r", story.read(2))
    #expect(story.faults.contains { $0.contains("after 3 was there") })
  }

  @Test func readDuringACommitMayReturnThePreviousHead() {
    var story = story()
    story.add("r", invokedAt: 31, story.read(2))
    #expect(story.faults == [])
  }

  @Test func headThatGoesBackIsReported() {
    var story = story()
    story.add("r", invokedAt: 1, story.read(3))
    story.add("r", invokedAt: 1, story.read(2))
    #expect(story.faults == ["call 2 of r saw 2 after 3"])
  }

  @Test func readOfAHeadThatWasNotYetOrNeverWrittenIsReported() {
    var early = Story()
    early.commit("setup", .mark("m", 1))
    let later = story()
    early.add("r", later.read(3))
    #expect(early.faults.contains { $0.contains("before anyone wrote it") })
    var foreign = story()
    let cursor = Cursor("3-00000000000000000000000000000000")!
    foreign.add("r", .read(cursor, root: foreign.twin.state(3).root))
    #expect(foreign.faults == ["call 1 of r read \(cursor), which nobody wrote"])
  }

  @Test func twoWinnersOfOneExpectationAreReported() {
    var story = Story()
    story.commit("setup", .mark("m", 1))
    let seen = story.head
    story.count("a", expecting: seen)
    story.count("b", expecting: seen)
    #expect(story.faults.contains { $0.contains("both won at \(seen)") })
  }

  @Test func versionWithoutAWriterOrWithTwoWritersIsReported() {
    var gap = story()
    gap.calls.remove(at: 1)
    #expect(gap.faults == ["version 2 is nobody's"])
    var twice = story()
    let call = twice.calls[1]
    twice.add("c", call.outcome)
    #expect(twice.faults == ["version 2 was given to two commits"])
  }

  @Test func lostUpdateIsReported() {
    var story = Story()
    story.commit("setup", .mark("m", 1))
    story.count("a")
    // Another writer counts from the state before.
    story.commit("b", .count(1, by: "b"))
    #expect(story.faults.contains { $0.contains("an update is lost") })
    #expect(story.faults.count == 1)
  }

  /// A commit acknowledged before another one was requested has the lower number.
  @Test func versionOrderThatContradictsTheTimeOrderIsReported() {
    var story = story()
    let last = story.calls[2]
    story.calls[2] = RecordedCall(
      caller: last.caller, number: last.number, list: last.list, invokedAt: 1, respondedAt: 2,
      outcome: last.outcome)
    #expect(story.faults.contains { $0.contains("after 3 was there") })
  }

  @Test func finalStoreThatLacksAnAcknowledgedCommitIsReported() {
    let story = story()
    var final = story.history().final
    final.log.removeFirst()
    #expect(!CallHistory(calls: story.calls, final: final).faults().isEmpty)
    final = story.history().final
    final.head = story.twin.snapshot(2)
    #expect(!CallHistory(calls: story.calls, final: final).faults().isEmpty)
    final = story.history().final
    final.oldest = Version(2)
    #expect(!CallHistory(calls: story.calls, final: final).faults().isEmpty)
  }

  @Test func deltaWithTheChangesOfOtherVersionsIsReported() {
    var story = story()
    let (from, to) = (story.twin.cursor(1), story.head)
    story.add(
      "r",
      .caughtUp(
        .init(
          from: from, to: to, root: story.twin.state(to.version.number).root,
          digest: ChangeDigest.of(story.twin.changes(2, 3)),
          oldest: Version(1), more: false)))
    #expect(story.faults.contains { $0.contains("other changes from 1 to 3") })
  }

  @Test func deltaFromAPrunedVersionAndRefusalOfAnAvailableOneAreReported() {
    var answered = story()
    answered.add("p", .pruned(keepLast: 1, oldest: Version(3)))
    answered.add("r", answered.caughtUp(2, 3, oldest: 3))
    #expect(answered.history(oldest: 3).faults().contains { $0.contains("which was pruned") })
    var hidden = story()
    hidden.add("p", .pruned(keepLast: 1, oldest: Version(3)))
    hidden.add("r", hidden.caughtUp(2, 3, oldest: 1))
    #expect(hidden.history(oldest: 3).faults().contains { $0.contains("as the oldest") })
    var refused = story()
    refused.add("r", .tooOld(since: refused.twin.cursor(2), oldest: Version(1)))
    #expect(refused.faults.contains { $0.contains("is too old, but 1 is the oldest") })
  }

  @Test func pruningOneVersionTooManyOrTooFewIsReported() {
    for (oldest, isRight) in [(1, false), (2, true), (3, false)] {
      var story = story()
      story.add("p", .pruned(keepLast: 2, oldest: Version(oldest)))
      #expect(story.history(oldest: oldest).faults().isEmpty == isRight)
    }
  }

  @Test func busyAnswerBeforeTheEndOfTheWaitIsReported() {
    var story = story()
    story.add("w", invokedAt: 45, .busy)
    #expect(story.faults.count == 1)
    let long = RecordedCall(
      caller: "w", number: 1, list: "l", invokedAt: 45, respondedAt: 10_000_000_046,
      outcome: .busy)
    story.calls[story.calls.count - 1] = long
    #expect(story.faults == [])
  }

  @Test func failedCallIsReported() {
    var story = story()
    story.add("r", .failed("disk I/O error"))
    #expect(story.faults == ["call 1 of r: disk I/O error"])
  }
}
