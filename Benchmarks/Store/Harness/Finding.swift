/// One line of the table.
struct Finding {
  enum Outcome: Equatable {
    case reached
    case missed
    /// There is no goal: the figure is for information.
    case told
    case skipped
  }

  let work: String
  let goal: String
  let measured: String
  let outcome: Outcome
  /// Absolute figures and their spread.
  let figures: String

  static func skipped(_ work: String, _ reason: String) -> Finding {
    Finding(work: work, goal: "", measured: "-", outcome: .skipped, figures: reason)
  }

  /// A quantity that must not exceed a limit.
  static func limit(
    _ work: String, _ value: Double, atMost limit: Double, of unit: String, figures: String
  ) -> Finding {
    Finding(
      work: work, goal: "≤ \(Figures.ratio(limit)) × \(unit)", measured: Figures.ratio(value),
      outcome: value <= limit ? .reached : .missed, figures: figures)
  }

  /// Times that must not exceed a multiple of others.
  static func limit(
    _ work: String, _ times: Samples, atMost limit: Double, of unit: String, _ floor: Samples,
    figures: String = ""
  ) -> Finding {
    let all = [
      "\(times)", "\(unit) \(floor)", "processor \(Figures.ratio(times.cpu / floor.cpu))", figures,
    ]
    return .limit(
      work, times.median / floor.median, atMost: limit, of: unit,
      figures: all.filter { !$0.isEmpty }.joined(separator: "; "))
  }
}
