import ListChanges
import ListModel
import SyncService

extension MergeReport {
  /// The changes of both sides, for people:
  ///
  ///     mine    1 moved: zion
  ///     theirs  2 inserted: acadia, arches
  ///     1 conflict decided for mine
  ///
  /// The conflicts follow with their values.
  var lines: [String] {
    var lines = ["  mine    \(mine.text)", "  theirs  \(theirs.text)"]
    if let preferred, conflicts.count > 0 {
      lines.append(
        "  \(Wording.count(conflicts.count, "conflict")) decided for \(preferred.rawValue)")
      lines += conflicts.lines.map { "    \($0)" }
    }
    return lines
  }
}

extension MergeConflicts {
  private static let shownCount = 50

  /// The first conflicts with their values, and how many more there are.
  var lines: [String] {
    let shown = listed.prefix(Self.shownCount)
    let lines = ConflictText.lines(of: Array(shown))
    return shown.count == count ? lines : lines + ["… and \(count - shown.count) more"]
  }
}

extension MergeReport.Side {
  private static let shownCount = 10

  fileprivate var text: String {
    let names = ids.prefix(Self.shownCount).map { Output.printable($0.text) }
    let counts = Wording.changes(changes)
    if names.isEmpty { return counts }
    let rest = ids.count > names.count || !isWhole ? ", …" : ""
    return "\(counts): \(names.joined(separator: ", "))\(rest)"
  }
}
