import ArgumentParser
import ListDocuments
import ListModel
import SyncService

/// Whether the places of an item are shown.
struct PlaceOptions: ParsableArguments {
  @Flag(
    name: .customLong("places"),
    help: "Show the item's index at each version, one line for adjacent versions.")
  var isWanted = false
  @Option(
    help: ArgumentHelp(
      "With --places: show when the item was among the first so many.", valueName: "count"),
    transform: Int.init(count:))
  var first: Int?

  /// - Parameter item: whether an item is named.
  /// - Throws: `ValidationError` when --first lacks --places, or --places lacks --item.
  func check(hasItem: Bool) throws {
    if isWanted, !hasItem { throw ValidationError("--places needs --item ID.") }
    if first != nil, !isWanted { throw ValidationError("--first needs --places.") }
  }
}

/// Writes the places of an item, each run of versions as JSON or as a line.
struct LogPlaces {
  let output: LogOutput
  /// The number of --first; nil to show each index.
  let first: Int?

  func write(_ run: PlaceRun) throws {
    if try output.writeJSON({ $0.members(of: run) }) { return }
    let (from, to) = (run.versions.lowerBound, run.versions.upperBound)
    let began = Wording.time(run.beganAt)
    let place = first.map { "in the first \($0)" } ?? "at \(run.index)"
    let best = first == nil ? "" : "; best index \(run.index)"
    guard let end = run.endedAt else {
      return try output.writeLine("\(place) since version \(from), \(began)\(best)")
    }
    let versions = from == to ? "in version \(from)" : "from version \(from) to \(to)"
    try output.writeLine(
      "\(place) \(versions), \(began) to \(Wording.time(end)), \(days(run.beganAt, end))\(best)")
  }

  /// Times may descend from version to version.
  private func days(_ start: Timestamp, _ end: Timestamp) -> String {
    let milliseconds = max(0, end.millisecondsSince1970 - start.millisecondsSince1970)
    let days = Int(milliseconds / 86_400_000)
    return days == 0 ? "less than a day" : Wording.count(days, "day")
  }
}

extension LogFilter {
  /// Whether any of the versions of a run is selected.
  func includes(_ run: PlaceRun) -> Bool {
    run.versions.upperBound >= oldest && newest.map { run.versions.lowerBound <= $0 } ?? true
      && start.map { start in run.endedAt.map { $0 >= start } ?? true } ?? true
      && end.map { run.beganAt <= $0 } ?? true
  }
}
