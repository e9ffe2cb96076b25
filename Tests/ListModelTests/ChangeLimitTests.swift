import ListModel
import Testing

@Suite struct ChangeLimitTests {
  @Test(
    arguments: [
      ("none", .unlimited), ("0", .count(0)), ("20", .count(20)), ("0%", .percent(0)),
      ("20%", .percent(20)), ("100%", .percent(100)),
    ] as [(String, ChangeLimit)])
  func limitIsReadAndWrittenAlike(text: String, limit: ChangeLimit) {
    #expect(ChangeLimit(text) == limit)
    #expect(limit.description == text)
    #expect(limit.text == (limit == .unlimited ? nil : text))
  }

  @Test(arguments: [
    "", "%", "None", "-1", "+1", "1.5%", "101%", "20 %", "20%%", "٣", "5%\u{301}", " 5",
    "99999999999999999999",
  ])
  func otherTextsAreNoLimit(_ text: String) {
    #expect(ChangeLimit(text) == nil)
  }

  @Test func percentageIsOfTheListAndRoundedDown() {
    for count in 0...300 {
      for percent in 0...100 {
        #expect(ChangeLimit.percent(percent).highest(of: count) == count * percent / 100)
      }
      #expect(ChangeLimit.count(7).highest(of: count) == 7)
      #expect(ChangeLimit.unlimited.highest(of: count) == count)
    }
    #expect(ChangeLimit.percent(100).highest(of: .max) == .max)
  }

  @Test func givenLimitsReplaceTheirOwnKindOnly() {
    let limits = ChangeLimits.none.setting([.removed: .count(1), .updated: .percent(2)])
    #expect(limits[.removed] == .count(1) && limits[.updated] == .percent(2))
    let later = limits.setting([.updated: .unlimited])
    #expect(later[.removed] == .count(1) && later[.updated] == .unlimited)
    #expect(later == ChangeLimits.none.setting([.removed: .count(1)]))
    #expect(limits.setting([:]) == limits)
  }
}
