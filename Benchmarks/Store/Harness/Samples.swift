/// Times of the same work, measured several times.
struct Samples: CustomStringConvertible {
  private(set) var costs: [Cost] = []

  init(_ costs: [Cost] = []) { self.costs = costs }

  mutating func add(_ cost: Cost) { costs.append(cost) }

  /// Seconds of wall time.
  var median: Double { Self.median(costs.map(\.wallSeconds)) }

  /// Median seconds of processor time, which depends least on the load of the machine.
  var cpu: Double { Self.median(costs.map(\.cpuSeconds)) }

  static func median(_ values: [Double]) -> Double { quantile(0.5, of: values) }

  /// - Precondition: There is a value.
  static func quantile(_ share: Double, of values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
  }

  /// Median, and the least and the greatest.
  var description: String {
    let walls = costs.map(\.wallSeconds)
    guard costs.count > 1, let least = walls.min(), let greatest = walls.max() else {
      return Figures.seconds(median)
    }
    let spread = "\(Figures.seconds(least)) to \(Figures.seconds(greatest))"
    return "\(Figures.seconds(median)) (\(spread))"
  }
}
