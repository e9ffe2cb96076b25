import Testing

@testable import listsync

struct NearestTests {
  @Test func nameDistanceIsTheFewestEdits() {
    let pairs = [
      ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("parks", "parcs", 1), ("kitten", "sitting", 3),
      ("abc", "cab", 2), ("same", "same", 0), ("a", "b", 1),
    ]
    for (old, new, distance) in pairs {
      #expect(Nearest.distance(from: Array(old.utf8), to: Array(new.utf8)) == distance)
    }
  }

  @Test func theThreeNearestOfManyNamesAreShown() {
    #expect(Nearest.text(to: "x", among: []) == "there are none yet")
    #expect(Nearest.text(to: "x", among: ["a", "b", "c"]) == "there are: a, b, c")
    let names = (0..<700).map { "list-\($0)" } + ["parks", "park", "spark"]
    #expect(
      Nearest.text(to: "parcs", among: names)
        == "of 703, the nearest are: parks, park, spark")
  }
}
