import CoreMetrics
import Synchronization

/// Counts what swift-metrics reports, and shows it as Prometheus reads it.
///
/// No Prometheus library is known that needs no more than swift-metrics; the text form is small, and
/// an independent reader judges it in the interoperation tests.
///
/// - Source: the text exposition format 0.0.4 of Prometheus.
public final class PrometheusRegistry: MetricsFactory {
  /// A name with the labels of one of its series.
  struct Series: Hashable, Comparable, Sendable {
    let name: String
    let labels: [Label]

    struct Label: Hashable, Sendable {
      let name: String
      let value: String
    }

    init(_ name: String, _ dimensions: [(String, String)]) {
      self.name = PrometheusText.name(name)
      labels = dimensions.map { Label(name: PrometheusText.name($0.0), value: $0.1) }
    }

    static func < (a: Series, b: Series) -> Bool {
      if a.name != b.name { return a.name < b.name }
      return a.labels.lexicographicallyPrecedes(b.labels) { $0.value < $1.value }
    }
  }

  private let cells = Mutex<[Series: any Cell]>([:])

  public init() {}

  /// All that was counted, in the order of the names.
  public func text() -> String {
    let cells = cells.withLock { $0 }.sorted { $0.key < $1.key }
    var text = ""
    var name: String?
    for (series, cell) in cells {
      if series.name != name {
        name = series.name
        text += "# TYPE \(series.name) \(type(of: cell).kind)\n"
      }
      cell.write(series, to: &text)
    }
    return text
  }

  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    cell(label, dimensions) { CounterCell() }
  }

  public func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler {
    cell(label, dimensions) { FloatingPointCounterCell() }
  }

  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    cell(label, dimensions) { MeterCell() }
  }

  public func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    cell(label, dimensions) { HistogramCell() }
  }

  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    cell(label, dimensions) { HistogramCell() }
  }

  // A series stays, as Prometheus expects of a counter: there are as many as there are routes.
  public func destroyCounter(_ handler: any CounterHandler) {}
  public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
  public func destroyMeter(_ handler: any MeterHandler) {}
  public func destroyRecorder(_ handler: any RecorderHandler) {}
  public func destroyTimer(_ handler: any TimerHandler) {}

  private func cell<Made: Cell>(
    _ label: String, _ dimensions: [(String, String)], _ make: () -> Made
  ) -> Made {
    let series = Series(label, dimensions)
    return cells.withLock { cells in
      if let cell = cells[series] {
        guard let cell = cell as? Made else {
          preconditionFailure("\(label) is counted in two ways")
        }
        return cell
      }
      let cell = make()
      cells[series] = cell
      return cell
    }
  }
}
