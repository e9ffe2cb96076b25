import ListDocuments
import ListModel
import ListStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// Clocks that go back, leap, stand still or give times that no date can express. Versions are
/// counted, not dated, so only the recorded times may differ.
@Suite struct ClockCampaign {
  @Test(arguments: ClockFault.allCases)
  func wrongClockChangesOnlyTheRecordedTimes(_ fault: ClockFault) async throws {
    let campaign = Campaign("clock")
    var (deedCount, versionCount) = (0, 0)
    for round in 0..<campaign.rounds(1, long: 40) {
      var random = campaign.random(round)
      let context = Comment(rawValue: "\(fault), seed \(campaign.seed), round \(round)")
      let deeds = Deed.random(16, &random)
      let right = try TestStore()
      let clock = TestClock()
      let wrong = try TestStore { clock.now }
      for (step, deed) in deeds.enumerated() {
        try await deed.run(on: right.service)
        clock.set(fault.milliseconds(at: step, of: deeds.count))
        let before = try await wrong.service.lists().first?.head.cursor
        try await deed.run(on: wrong.service)
        let head = try #require(try await wrong.service.log(of: .parks, limit: 1).first)
        if head.cursor != before { #expect(head.note.time == clock.now, context) }
      }
      #expect(
        try await TimelessAnswers(of: wrong.service) == TimelessAnswers(of: right.service), context)
      #expect(try await wrong.service.verify(depth: .everything).faults == [], context)
      try await expectTravels(wrong.service, context)
      deedCount += deeds.count
      versionCount += try await wrong.service.log(of: .parks).count
    }
    campaign.report(
      "\(fault): \(deedCount) commits, edits, prunes and tags, \(versionCount) versions alike")
  }

  /// Checks that a bundle carries every time, and gives the same chain in another store.
  private func expectTravels(_ service: SyncService, _ context: Comment) async throws {
    var export = try await service.export(ExportRequest(list: .parks))
    let header = export.header
    var writer = try BundleWriter(header)
    while case let events = try await export.nextBatch(), !events.isEmpty {
      for event in events { try writer.append(event) }
    }
    _ = try writer.finish()
    var reader = BundleReader()
    let events = try reader.read(writer.takeBytes())
    _ = try reader.finish()
    let copy = try TestStore()
    _ = try await copy.service.apply { BundleEvents(header: header, events: events.dropFirst()) }
    #expect(try await copy.service.log(of: .parks) == service.log(of: .parks), context)
  }

  @Test func dateNamesTheHighestVersionThatIsNotDatedAfterIt() async throws {
    let campaign = Campaign("clock")
    var askedCount = 0
    for round in 0..<campaign.rounds(3, long: 400) {
      var random = campaign.random(1000 + round)
      let context = "seed \(campaign.seed), round \(round)"
      let (test, clock) = (try TestStore(), TestStore.noon.millisecondsSince1970)
      var times: [Timestamp] = []
      for number in 0..<Int.random(in: 1...8, using: &random) {
        let time = Timestamp(
          millisecondsSince1970: clock + .random(in: -4...4, using: &random) * .day)
        var request = CommitRequest(list: .parks, snapshot: try .of("i\(number)"))
        (request.time, request.allowsEarlierTime) = (time, true)
        _ = try await test.service.commit(request)
        times.append(time)
      }
      for keptCount in [times.count, Int.random(in: 1...times.count, using: &random)] {
        try await test.service.prune(keepLast: keptCount)
        let oldest = times.count - keptCount + 1
        for days in Int64(-5)...5 {
          let moment = Timestamp(millisecondsSince1970: clock + days * .day)
          let number = times.lastIndex { $0 <= moment }.map { $0 + 1 }
          try await expect(
            number, at: moment, oldest: oldest, times, in: test,
            Comment(rawValue: "\(context), \(days) days of \(times)"))
          askedCount += 2
        }
      }
    }
    campaign.report("dates: \(askedCount) queries by date where dates do not ascend")
  }

  private func expect(
    _ number: Int?, at moment: Timestamp, oldest: Int, _ times: [Timestamp], in test: TestStore,
    _ context: Comment
  ) async throws {
    let asked = Revision.date(.moment(moment))
    if let number, number >= oldest {
      let found = try await test.service.snapshot(of: .parks, at: asked)
      #expect(found.state.cursor?.version == Version(number), context)
      let delta = try await test.service.delta(of: .parks, since: asked)
      #expect(delta.from.cursor?.version == Version(number), context)
      return
    }
    let error =
      oldest > 1
      ? ServiceError.tooOld(
        moment.description, list: .parks, oldest: Version(oldest), head: Version(times.count))
      : .noVersionAt(moment, list: .parks, first: times[0])
    await #expect(throws: error, context) {
      try await test.service.snapshot(of: .parks, at: asked)
    }
    await #expect(throws: error, context) {
      try await test.service.delta(of: .parks, since: asked)
    }
  }

  /// Prunes a daily changing list every day; then its clock goes wrong.
  /// Nothing goes that pruning by the right clock would have kept.
  @Test func pruningByAgeUnderAWrongClockDeletesNothingExtra() async throws {
    let campaign = Campaign("clock")
    var (refusalCount, pruneCount) = (0, 0)
    for round in 0..<campaign.rounds(3, long: 400) {
      var random = campaign.random(2000 + round)
      let context = Comment(rawValue: "seed \(campaign.seed), round \(round)")
      let clock = TestClock()
      let test = try TestStore { clock.now }
      let rule = RetentionRule(
        keepLast: Bool.random(using: &random) ? 2 : nil, keepWithin: RetentionPeriod("9d"))
      let request = PruneRequest(list: .parks, rule: try #require(rule))
      for day in 0..<Int64.random(in: 2...16, using: &random) {
        clock.set(TestStore.noon.millisecondsSince1970 + day * .day)
        _ = try await test.service.commit(.init(list: .parks, snapshot: try .of("i\(day)")))
        pruneCount += try await test.service.prune(request).record == nil ? 0 : 1
      }
      // No further version may go, however far the clock leaps and whatever is committed later.
      let leap = Int64.random(in: 10...5000, using: &random)
      let right = clock.now.millisecondsSince1970
      for (number, wrong) in [leap, leap, -leap].enumerated() {
        clock.set(right + wrong * .day + Int64(number))
        let kept = try await test.service.log(of: .parks)
        do {
          #expect(try await test.service.prune(request).record == nil, context)
        } catch ServiceError.mayHaveLeapt where wrong > 0 {
          refusalCount += 1
        } catch ServiceError.datedInFuture where wrong < 0 {
          refusalCount += 1
        }
        #expect(try await test.service.log(of: .parks) == kept, context)
        _ = try await test.service.commit(.init(list: .parks, snapshot: try .of("x\(number)")))
      }
      // Pruning by number, or by dates declared right, removes versions; the newest always stays.
      clock.set(right + 9000 * .day)
      let trusting = try #require(
        RetentionRule(keepWithin: RetentionPeriod("9d"), trustsDates: true))
      _ = try await test.service.prune(PruneRequest(list: .parks, rule: trusting))
      #expect(try await test.service.log(of: .parks).count == 1, context)
      #expect(try await test.service.verify(depth: .everything).faults == [], context)
    }
    campaign.report(
      "ages: \(pruneCount) prunes by the right clock, \(refusalCount) refused by wrong ones")
  }

  @Test(arguments: ClockFault.allCases)
  func keptDeltasAreServedAndStayBoundedUnderAnyClock(_ fault: ClockFault) async throws {
    var random = Campaign("clock").random(3000)
    let clock = TestClock()
    let test = try TestStore { clock.now }
    var history = TestHistory(test)
    try await history.commit(history.newItems(400))
    for _ in 0..<3 { try await history.commitEdits(300, &random) }
    for step in 0..<6 {
      clock.set(fault.milliseconds(at: step, of: 6))
      for (from, to) in [(0, 3), (1, 4), (4, 1)] {
        let delta = try await test.service.delta(
          of: .parks, since: .version(Version(from)), to: .version(Version(to)))
        #expect(
          delta.changes == history.snapshots[from].changes(to: history.snapshots[to]),
          "\(fault), seed \(random.seed)")
      }
    }
    #expect(try await test.count("change_sets") > 0)
    #expect(try await test.service.verify(depth: .everything).faults == [])
  }
}

/// The events after a bundle's header, as the service reads them.
private struct BundleEvents: BundleSource {
  let whole: BundleHeader
  var events: ArraySlice<BundleEvent>

  init(header: BundleHeader, events: ArraySlice<BundleEvent>) {
    whole = header
    self.events = events
  }

  mutating func header() -> BundleHeader { whole }

  mutating func next() -> BundleEvent? { events.popFirst() }
}
