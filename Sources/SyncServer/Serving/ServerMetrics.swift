import HTTPTypes
import Synchronization

/// Counts requests, their durations and the open event streams.
///
/// Hummingbird's MetricsMiddleware reports to one factory of the process, under its own names. So
/// the server counts by itself: the text form is small, and an independent parser checks it in the
/// interoperation tests.
///
/// - Source: the text exposition format 0.0.4 of Prometheus.
final class ServerMetrics: Sendable {
  private struct Request: Hashable {
    let method: String
    let route: String
    let status: Int

    var order: (String, String, Int) { (method, route, status) }
  }

  private struct Durations {
    static let bounds = [
      0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
    ]

    /// How many requests lie in each interval; the last one has no upper bound.
    var counts = Array(repeating: 0, count: bounds.count + 1)
    var sumSeconds = 0.0

    mutating func add(_ seconds: Double) {
      counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
      sumSeconds += seconds
    }
  }

  private struct State {
    var requests: [Request: Int] = [:]
    var durations: [String: Durations] = [:]
    var streamCount = 0
  }

  private let state = Mutex(State())

  /// - Parameters:
  ///   - route: the route of the server and not the path of the request, so that the number of
  ///     series is bounded.
  ///   - method: one that the parser of HTTP knows; it refuses others.
  func count(
    route: String, method: HTTPRequest.Method, status: HTTPResponse.Status, elapsed: Duration
  ) {
    let request = Request(method: method.rawValue, route: route, status: status.code)
    state.withLock { state in
      state.requests[request, default: 0] += 1
      state.durations[route, default: Durations()].add(elapsed / .seconds(1))
    }
  }

  func streamBegan() { state.withLock { $0.streamCount += 1 } }
  func streamEnded() { state.withLock { $0.streamCount -= 1 } }

  /// All figures, in the order of their names and labels.
  func text() -> String {
    let state = state.withLock { $0 }
    let streams = "listsync_event_streams"
    var lines = Self.head(of: streams, "gauge", "Open event streams.")
    lines.append("\(streams) \(state.streamCount)")
    let name = "listsync_http_request_duration_seconds"
    lines += Self.head(of: name, "histogram", "Seconds from a request to the end of its answer.")
    for (route, durations) in state.durations.sorted(by: { $0.key < $1.key }) {
      var total = 0
      for (count, bound) in zip(durations.counts, Durations.bounds.map { "\($0)" } + ["+Inf"]) {
        total += count
        lines.append("\(name)_bucket{route=\"\(route)\",le=\"\(bound)\"} \(total)")
      }
      lines.append("\(name)_sum{route=\"\(route)\"} \(durations.sumSeconds)")
      lines.append("\(name)_count{route=\"\(route)\"} \(total)")
    }
    let requests = "listsync_http_requests_total"
    lines += Self.head(of: requests, "counter", "Answered requests.")
    for (request, count) in state.requests.sorted(by: { $0.key.order < $1.key.order }) {
      let labels = """
        method="\(request.method)",route="\(request.route)",status="\(request.status)"
        """
      lines.append("\(requests){\(labels)} \(count)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func head(of family: String, _ type: String, _ help: String) -> [String] {
    ["# HELP \(family) \(help)", "# TYPE \(family) \(type)"]
  }
}
