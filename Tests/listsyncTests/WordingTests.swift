import ListModel
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

  /// Former fault: the nearest writable time was shown with the local offset, another instant.
  @Test(arguments: [
    ("Asia/Tokyo", "9999-12-31T23:00:00Z", "9999-12-31T23:00:00Z"),
    ("Asia/Tokyo", "9999-12-31T10:00:00Z", "9999-12-31T19:00:00+09:00"),
    ("America/New_York", "0001-01-01T01:00:00Z", "0001-01-01T01:00:00Z"),
    ("America/New_York", "0001-01-01T05:00:00Z", "0001-01-01T00:04:00-04:56"),
  ])
  func localTimeIsTheSameInstantAtTheEndsOfTheCalendar(
    zone: String, time: String, text: String
  ) async throws {
    let harness = try CommandLineHarness()
    try await harness.succeed("commit", "l", "-", "--at", time, input: #"[{"id":"a"}]"#)
    let shown = try await harness.run("log", "l", "--local", environment: ["TZ": zone])
    #expect(shown.exitCode == 0 && shown.text.contains("  \(text)"), "\(shown)")
    #expect(Timestamp.read(text) == Timestamp.read(time))
  }

  @Test func digitsOfCountsAreAligned() {
    #expect(Wording.counts([1, 12, 0], "item") == [" 1 item", "12 items", " 0 items"])
  }
}
