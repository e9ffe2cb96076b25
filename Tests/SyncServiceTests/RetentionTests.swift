import ListModel
import ListStore
import StoreTestSupport
import Testing

@testable import SyncService

/// The pruning decision, without a store.
@Suite struct RetentionTests {
  private static let hour: Int64 = 3_600_000

  /// Versions from a number on, with their ages in hours.
  private func versions(
    _ hoursAgo: [Int64], from first: Int = 1
  ) -> [Retention.DatedVersion] {
    hoursAgo.enumerated().map { offset, hours in
      let time = TestStore.noon.millisecondsSince1970 - hours * Self.hour
      return .init(
        version: Version(first + offset), time: Timestamp(millisecondsSince1970: time))
    }
  }

  private func plan(
    _ versions: [Retention.DatedVersion], last: Int? = nil, within: String? = nil,
    trustsDates: Bool = false, tags: [(String, Int)] = []
  ) throws -> RetentionPlan {
    let period = try within.map { try #require(RetentionPeriod($0)) }
    let rule = try #require(
      RetentionRule(keepLast: last, keepWithin: period, trustsDates: trustsDates))
    let records = try tags.map { name, version in
      TagRecord(
        name: try #require(TagName(name)), version: Version(version), taggedAt: TestStore.noon)
    }
    return try Retention.plan(versions: versions, rule: rule, tags: records, now: TestStore.noon)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let what: String
    let hoursAgo: [Int64]
    var last: Int?
    var within: String?
    var tags: [(String, Int)] = []
    let floor: Int
    var testDescription: String { what }
  }

  @Test(arguments: [
    Case(what: "the newest alone", hoursAgo: [5, 4, 3, 2, 1], last: 1, floor: 5),
    Case(what: "the newest two", hoursAgo: [5, 4, 3, 2, 1], last: 2, floor: 4),
    Case(what: "as many as there are", hoursAgo: [5, 4, 3], last: 3, floor: 1),
    Case(what: "more than there are", hoursAgo: [5, 4, 3], last: 9, floor: 1),
    Case(what: "a single version", hoursAgo: [900], last: 1, floor: 1),
    Case(what: "all within", hoursAgo: [5, 4, 3], within: "6h", floor: 1),
    Case(what: "the one at the start of the time", hoursAgo: [5, 4, 1], within: "4h", floor: 2),
    Case(
      what: "the one that was newest when it began", hoursAgo: [9, 5, 1], within: "4h", floor: 2),
    Case(what: "the one before came at the very start", hoursAgo: [9, 4], within: "4h", floor: 2),
    Case(what: "all too old but the newest", hoursAgo: [90, 80, 70], within: "1h", floor: 3),
    Case(what: "equal times at the start", hoursAgo: [9, 4, 4, 1], within: "4h", floor: 2),
    Case(what: "equal times before it", hoursAgo: [9, 5, 5, 1], within: "4h", floor: 3),
    Case(what: "equal times, all now", hoursAgo: [0, 0, 0], within: "1h", floor: 1),
    Case(
      what: "both, where the count keeps more", hoursAgo: [9, 8, 7, 1], last: 3, within: "1h",
      floor: 2),
    Case(
      what: "both, where the time keeps more", hoursAgo: [9, 3, 2, 1], last: 1, within: "3h",
      floor: 2),
    Case(what: "a tag below", hoursAgo: [5, 4, 3, 2, 1], last: 1, tags: [("a", 2)], floor: 2),
    Case(
      what: "the lowest of several tags", hoursAgo: [5, 4, 3, 2, 1], last: 1,
      tags: [("a", 4), ("b", 3)], floor: 3),
    Case(
      what: "a tag above the floor", hoursAgo: [5, 4, 3, 2, 1], last: 3, tags: [("a", 4)],
      floor: 3),
    Case(what: "dates that run backwards", hoursAgo: [1, 9, 8, 2], within: "3h", floor: 1),
    Case(what: "an old date after young ones", hoursAgo: [9, 8, 2, 7], within: "3h", floor: 2),
  ])
  func floorIsTheOldestVersionThatAnyRuleOrTagKeeps(_ test: Case) throws {
    let plan = try plan(
      versions(test.hoursAgo), last: test.last, within: test.within, trustsDates: true,
      tags: test.tags)
    #expect(plan.floor == Version(test.floor))
    #expect(plan.removed == (test.floor == 1 ? nil : Version(1)...Version(test.floor - 1)))
    #expect(plan.verdicts.map(\.version.number) == Array(1...test.hoursAgo.count))
    #expect(plan.verdicts.map(\.isKept) == (1...test.hoursAgo.count).map { $0 >= test.floor })
    #expect(plan.verdicts.allSatisfy { !$0.reasons.isEmpty })
  }

  @Test func planGivesTheReasonsForEveryVersion() throws {
    let (spring, day) = (TagName("spring")!, RetentionPeriod("1d")!)
    let plan = try plan(
      versions([99, 98, 97, 30, 20, 1]), last: 1, within: "1d", tags: [("spring", 2)])
    #expect(
      plan.verdicts.map(\.reasons) == [
        [.notAmongLast(1), .notWithin(day)], [.tagged(spring)], [.newer(than: Version(2))],
        [.within(day)], [.within(day)], [.head, .amongLast(1), .within(day)],
      ])
    #expect(plan.holdingTags == [spring])
    #expect(plan.stretches.map(\.versions.lowerBound.number) == [1, 2, 3, 4, 6])
    #expect(plan.stretches.map(\.versions.upperBound.number) == [1, 2, 3, 5, 6])
    #expect(plan.stretches.map(\.isKept) == [false, true, true, true, true])
  }

  @Test func tagOnAVersionThatTheRuleKeepsHoldsNothing() throws {
    let plan = try plan(versions([3, 2, 1]), last: 2, tags: [("a", 2)])
    #expect(plan.floor == Version(2))
    #expect(plan.holdingTags == [])
  }

  @Test func planListsSeveralTagsOfOneVersionInOrder() throws {
    let plan = try plan(versions([3, 2, 1]), last: 1, tags: [("b", 2), ("a", 2)])
    #expect(plan.holdingTags.map(\.text) == ["a", "b"])
  }

  @Test func planOfAPrunedListStartsAtItsOldestVersion() throws {
    let plan = try plan(versions([5, 4, 3], from: 41), last: 2)
    #expect(plan.removed == Version(41)...Version(41))
    #expect(try self.plan(versions([4, 3], from: 42), last: 2).removed == nil)
  }

  @Test func aListWithoutVersionsHasNothingToPrune() throws {
    let plan = try plan([], last: 1, within: "1h")
    #expect(plan.verdicts.isEmpty && plan.floor == nil && plan.removed == nil)
    #expect(plan.stretches.isEmpty && plan.holdingTags.isEmpty)
  }

  @Test func futureDateRefusesOnlyRulesWithAnAge() throws {
    let dated = versions([3, -1, 1])
    #expect(
      throws: ServiceError.datedInFuture(Version(2), time: dated[1].time, now: TestStore.noon)
    ) { try plan(dated, within: "1h") }
    #expect(throws: ServiceError.self) { try plan(dated, last: 1, within: "1h") }
    #expect(try plan(dated, last: 1).floor == Version(3))
  }

  /// A gap is a time without a version; the clock may have leapt.
  @Test(arguments: [
    // The gap since the newest version, or before the first version of the period.
    ([90, 80, 70], "1h", 3, 0), ([90, 80, 3, 2], "4h", 2, 3),
    ([90, 89, 40, 39, 2, 1], "9h", 4, 2),
    // One hour more than the period.
    ([9, 8, 7], "6h", 3, 0), ([20, 19, 5, 1], "13h", 2, 5),
  ])
  func periodThatBeginsInALongerGapRefusesAgesUnlessDatesAreTrusted(
    hoursAgo: [Int64], within: String, after: Int, until: Int64
  ) throws {
    let dated = versions(hoursAgo)
    let period = try #require(RetentionPeriod(within))
    let end = TestStore.noon.millisecondsSince1970 - until * Self.hour
    let refusal = ServiceError.mayHaveLeapt(
      after: Version(after), from: dated[after - 1].time,
      to: Timestamp(millisecondsSince1970: end), period: period)
    #expect(throws: refusal) { try plan(dated, within: within) }
    #expect(throws: refusal) { try plan(dated, last: 1, within: within) }
    #expect(try plan(dated, within: within, trustsDates: true).removed != nil)
    // A rule by number ignores dates, and a rule that removes nothing is never refused.
    #expect(try plan(dated, last: 1).floor == Version(hoursAgo.count))
    #expect(try plan(dated, last: hoursAgo.count, within: within).removed == nil)
  }

  @Test(arguments: [
    ([90, 80, 70], "70h", 3), ([20, 19, 6, 1], "13h", 2),
    ([900, 800, 7, 6, 5, 4, 3, 2], "3h", 7),
  ])
  func gapNoLongerThanThePeriodRefusesNothing(hoursAgo: [Int64], within: String, floor: Int) throws
  {
    #expect(try plan(versions(hoursAgo), within: within).floor == Version(floor))
  }

  @Test func emptyRetentionRuleIsRefused() {
    #expect(RetentionRule() == nil)
    #expect(RetentionRule(keepLast: 0) == nil)
    #expect(RetentionRule(keepLast: -1, keepWithin: RetentionPeriod("1d")) == nil)
    let both = RetentionRule(keepLast: 10, keepWithin: RetentionPeriod("30d"))
    #expect(both?.description == "keep-last 10, keep-within 30d")
    let trusting = RetentionRule(keepWithin: RetentionPeriod("30d"), trustsDates: true)
    #expect(trusting?.description == "keep-within 30d, trust-dates")
  }

  @Test(arguments: [
    ("1h", 1), ("12h", 12), ("30d", 720), ("8w", 1344), ("1y", 8760), ("007d", 168),
    ("10000y", 87_600_000),
  ])
  func aPeriodIsANumberAndAUnit(text: String, hours: Int64) {
    #expect(RetentionPeriod(text)?.milliseconds == hours * Self.hour)
  }

  @Test(arguments: [
    "", "d", "30", "0d", "-1d", "+1d", "1.5d", "30 d", "30D", "3m", "30days", "1d12h", "10001y",
    "9223372036854775807y", "99999999999999999999h", "٣d",
  ])
  func otherTextsAreNotARetentionPeriod(_ text: String) {
    #expect(RetentionPeriod(text) == nil)
  }
}
