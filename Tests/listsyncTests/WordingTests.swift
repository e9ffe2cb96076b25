import ListModel
import Terminal
import Testing

@testable import listsync

struct WordingTests {
  @Test(arguments: [
    (0, "0 B"), (1, "1 B"), (999, "999 B"), (1000, "1.0 kB"), (1049, "1.0 kB"), (1050, "1.1 kB"),
    (999_949, "999.9 kB"), (999_950, "1.0 MB"), (1_000_000, "1.0 MB"), (98_540_000, "98.5 MB"),
    (2_000_000_000, "2.0 GB"), (5_000_000_000_000, "5.0 TB"), (5_000_000_000_000_000, "5000.0 TB"),
  ])
  func byteCountsUseASuitableUnit(count: Int, text: String) {
    #expect(Wording.bytes(count) == text)
  }

  @Test func digitsOfCountsAreAligned() {
    #expect(Wording.counts([1, 12, 0], "item") == [" 1 item", "12 items", " 0 items"])
  }
}
