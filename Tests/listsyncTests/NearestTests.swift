import Testing

@testable import listsync

struct NearestTests {
  @Test func theThreeNearestOfManyNamesAreShown() {
    #expect(Nearest.text(to: "x", among: []) == "there are none yet")
    #expect(Nearest.text(to: "x", among: ["a", "b", "c"]) == "there are: a, b, c")
    let names = (0..<700).map { "list-\($0)" } + ["parks", "park", "spark"]
    #expect(
      Nearest.text(to: "parcs", among: names)
        == "of 703, the nearest are: parks, park, spark")
  }

  @Test func onlyTheStartOfALongNameIsCompared() {
    let (known, start) = (["aaaa", "b", "c", "zion"], String(repeating: "a", count: 200))
    let rest = String(repeating: "zion", count: 10_000)
    #expect(
      Nearest.names(to: start + rest, among: known) == Nearest.names(to: start, among: known))
    #expect(Nearest.names(to: rest + start, among: known).first == "zion")
  }
}
