import Testing

@testable import SyncClient

@Suite struct RetryRuleTests {
  @Test func waitsDoubleUpToTheHighestAndChanceShortensThemByUpToHalf() {
    let rule = RetryRule(firstSeconds: 0.5, highestSeconds: 60)
    let full = [0.5, 1, 2, 4, 8, 16, 32, 60, 60]
    for (index, seconds) in full.enumerated() {
      #expect(rule.seconds(after: index + 1, retryAfterSeconds: nil, random: 0) == seconds / 2)
      let most = rule.seconds(after: index + 1, retryAfterSeconds: nil, random: 0.999)
      #expect(most < seconds && most > seconds * 0.99)
    }
    #expect(rule.seconds(after: .max, retryAfterSeconds: nil, random: 0) == 30)
  }

  @Test func retryAfterIsAddedToTheWaitUpToItsOwnBound() {
    let rule = RetryRule(
      firstSeconds: 1, highestSeconds: 60, highestRetryAfterSeconds: 100)
    #expect(rule.seconds(after: 1, retryAfterSeconds: 7, random: 0) == 7.5)
    #expect(rule.seconds(after: 1, retryAfterSeconds: 1e9, random: 0) == 100.5)
    #expect(rule.seconds(after: 1, retryAfterSeconds: -3, random: 0) == 0.5)
  }
}
