import CoreMetrics
import Synchronization

/// What holds the value of one series.
protocol Cell: AnyObject, Sendable {
  static var kind: String { get }
  func write(_ series: PrometheusRegistry.Series, to text: inout String)
}

final class CounterCell: Cell, CounterHandler {
  static let kind = "counter"
  private let value = Atomic<Int64>(0)

  func increment(by amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }
  func reset() { value.store(0, ordering: .relaxed) }

  func write(_ series: PrometheusRegistry.Series, to text: inout String) {
    PrometheusText.line(series, value: "\(value.load(ordering: .relaxed))", to: &text)
  }
}

final class FloatingPointCounterCell: Cell, FloatingPointCounterHandler {
  static let kind = "counter"
  private let value = Mutex(0.0)

  func increment(by amount: Double) { value.withLock { $0 += amount } }
  func reset() { value.withLock { $0 = 0 } }

  func write(_ series: PrometheusRegistry.Series, to text: inout String) {
    PrometheusText.line(series, value: "\(value.withLock { $0 })", to: &text)
  }
}

final class MeterCell: Cell, MeterHandler {
  static let kind = "gauge"
  private let value = Mutex(0.0)

  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { self.value.withLock { $0 = value } }
  func increment(by amount: Double) { value.withLock { $0 += amount } }
  func decrement(by amount: Double) { value.withLock { $0 -= amount } }

  func write(_ series: PrometheusRegistry.Series, to text: inout String) {
    PrometheusText.line(series, value: "\(value.withLock { $0 })", to: &text)
  }
}

/// Values by size; durations in seconds, as Prometheus counts them.
final class HistogramCell: Cell, TimerHandler, RecorderHandler {
  static let kind = "histogram"
  private static let bounds = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
  ]

  private struct State {
    var counts = Array(repeating: 0, count: HistogramCell.bounds.count + 1)
    var sum = 0.0
  }

  private let state = Mutex(State())

  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
  func record(_ value: Int64) { record(Double(value)) }

  func record(_ value: Double) {
    let place = Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count
    state.withLock { state in
      state.counts[place] += 1
      state.sum += value
    }
  }

  func write(_ series: PrometheusRegistry.Series, to text: inout String) {
    let state = state.withLock { $0 }
    var total = 0
    for (count, bound) in zip(state.counts, Self.bounds.map { "\($0)" } + ["+Inf"]) {
      total += count
      PrometheusText.line(series, suffix: "_bucket", bound: bound, value: "\(total)", to: &text)
    }
    PrometheusText.line(series, suffix: "_sum", value: "\(state.sum)", to: &text)
    PrometheusText.line(series, suffix: "_count", value: "\(total)", to: &text)
  }
}
