import HTTPTypes
import Testing

@testable import SyncServer

@Suite struct ServerMetricsTests {
  @Test func everyFamilyHasItsHelpAndTypeBeforeItsSamples() {
    let metrics = ServerMetrics()
    metrics.count(route: "/v1/lists", method: .get, status: .ok, elapsed: .milliseconds(3))
    var families: [String] = []
    for line in metrics.text().split(separator: "\n") {
      let words = line.split(separator: " ")
      switch (words[0], words[1]) {
      case ("#", "HELP"):
        families.append(String(words[2]))
        #expect(words.count > 3)
      case ("#", "TYPE"): #expect(families.last == String(words[2]))
      default: #expect(families.last.map { line.hasPrefix($0) } == true, "\(line)")
      }
    }
    #expect(
      families == [
        "listsync_event_streams", "listsync_http_request_duration_seconds",
        "listsync_http_requests_total",
      ])
  }
}
