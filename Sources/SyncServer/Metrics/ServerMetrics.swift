import HTTPTypes
import Metrics
import Synchronization

/// What a server counts about itself.
public final class ServerMetrics: Sendable {
  private struct Key: Hashable {
    let route: String
    let method: String
    let status: Int
  }

  private let registry: PrometheusRegistry
  private let requests = Mutex<[Key: Counter]>([:])
  private let durations = Mutex<[String: Timer]>([:])
  private let waiting: Meter

  public init(registry: PrometheusRegistry = PrometheusRegistry()) {
    self.registry = registry
    waiting = Meter(label: "listsync_event_streams", factory: registry)
  }

  func note(
    route: String, method: HTTPRequest.Method, status: HTTPResponse.Status, elapsed: Duration
  ) {
    let key = Key(route: route, method: method.rawValue, status: status.code)
    requests.withLock { requests in
      if let counter = requests[key] { return counter }
      let counter = Counter(
        label: "listsync_http_requests_total",
        dimensions: [
          ("method", key.method), ("route", key.route), ("status", "\(key.status)"),
        ], factory: registry)
      requests[key] = counter
      return counter
    }.increment()
    durations.withLock { durations in
      if let timer = durations[route] { return timer }
      let timer = Timer(
        label: "listsync_http_request_duration_seconds", dimensions: [("route", route)],
        factory: registry)
      durations[route] = timer
      return timer
    }.record(duration: elapsed)
  }

  func streamBegan() { waiting.increment() }
  func streamEnded() { waiting.decrement() }

  func text() -> String { registry.text() }
}
