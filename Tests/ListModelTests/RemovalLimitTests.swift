import ListModel
import Testing

@Suite struct RemovalLimitTests {
  @Test(
    arguments: [
      ("none", .unlimited), ("0", .count(0)), ("20", .count(20)), ("0%", .percent(0)),
      ("20%", .percent(20)), ("100%", .percent(100)),
    ] as [(String, RemovalLimit)])
  func limitIsReadAndWrittenAlike(text: String, limit: RemovalLimit) {
    #expect(RemovalLimit(text) == limit)
    #expect(limit.description == text)
    #expect(limit.text == (limit == .unlimited ? nil : text))
  }

  @Test(arguments: [
    "", "%", "None", "-1", "+1", "1.5%", "101%", "20 %", "20%%", "٣", "5%\u{301}", " 5",
    "99999999999999999999",
  ])
  func otherTextsAreNoLimit(_ text: String) {
    #expect(RemovalLimit(text) == nil)
  }

  @Test func percentageIsOfTheListAndRoundedDown() {
    for count in 0...300 {
      for percent in 0...100 {
        #expect(RemovalLimit.percent(percent).highest(of: count) == count * percent / 100)
      }
      #expect(RemovalLimit.count(7).highest(of: count) == 7)
      #expect(RemovalLimit.unlimited.highest(of: count) == count)
    }
    #expect(RemovalLimit.percent(100).highest(of: .max) == .max)
  }
}
