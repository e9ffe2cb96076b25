import Testing

@testable import ListChanges

@Suite struct ListPairTests {
  /// 5 old lists, and 1 + 4 · 2 + 12 · 4 + 24 · 8 + 24 · 16 new ones.
  @Test func listPairsContainEveryPairExactlyOnce() {
    let pairs = ListPair.all(over: 4)
    #expect(pairs.count == 5 * 633)
    #expect(Set(pairs.map(\.description)).count == pairs.count)
  }
}
