import ListDocuments
import ListModel
import ListStore
import SyncService

/// A pruning that was made or planned, for people and for programs.
struct PruneReport {
  let list: ListName
  let plan: RetentionPlan
  /// Nil when nothing was pruned.
  let record: PruneRecord?
  /// The sizes before and after the vacuum; nil without one.
  var vacuum: VacuumOutcome?

  /// The lines about a pruning that was made.
  var lines: [String] {
    var lines = [record.map { "\(list): pruned \(Self.versions(of: $0))" } ?? nothingLine]
    if let holdLine { lines.append(holdLine) }
    if let vacuum {
      lines.append(
        "the store went from \(vacuum.byteCountBefore) to \(vacuum.byteCountAfter) bytes")
      if vacuum.isHeldByReader {
        lines.append("a reader still uses an older state; the file shrinks at a later commit")
      }
    }
    return lines
  }

  /// The lines about a plan: each range of versions with its reasons.
  func planLines(_ palette: Palette) -> [String] {
    let stretches = plan.stretches.map { stretch in
      let range = Self.text(of: stretch.versions)
      let reasons = stretch.reasons.map(\.text).joined(separator: "; ")
      return stretch.isKept
        ? "\(palette.green("keep"))    \(range): \(reasons)"
        : "\(palette.red("remove"))  \(range): \(reasons)"
    }
    let sum =
      plan.removed.map {
        "\(list): would prune \(Self.text(of: $0)); nothing was changed"
      } ?? nothingLine
    return stretches + [sum] + (holdLine.map { [$0] } ?? [])
  }

  private var nothingLine: String {
    let oldest = plan.floor.map { "; its oldest version is \($0)" } ?? "; it has no versions yet"
    return "\(list): nothing to prune\(oldest)"
  }

  private var holdLine: String? {
    let tags = plan.holdingTags.map(\.text)
    guard !tags.isEmpty, let floor = plan.floor else { return nil }
    let commands = tags.map { "'listsync tag -d \(list) \($0)'" }.joined(separator: " and ")
    let (noun, pronoun) = tags.count == 1 ? ("tag", "it") : ("tags", "them")
    return """
      version \(floor) stays because of its \(noun) \(tags.joined(separator: ", ")); remove \
      \(pronoun) with \(commands)
      """
  }

  private static func versions(of record: PruneRecord) -> String {
    text(of: record.oldOldest...record.lastPruned) + "; its oldest version is \(record.newOldest)"
  }

  private static func text(of range: ClosedRange<Version>) -> String {
    range.lowerBound == range.upperBound
      ? "version \(range.lowerBound)" : "versions \(range.lowerBound) to \(range.upperBound)"
  }
}

extension PruneReport {
  /// Writes the members of the JSON answer.
  func write(to writer: inout JSONWriter, isDryRun: Bool) {
    writer.member("list", list.text)
    writer.member("dry_run", isDryRun)
    if let floor = plan.floor { writer.member("oldest", floor.number) }
    writer.member(
      "pruned", plan.removed.map { $0.upperBound.number - $0.lowerBound.number + 1 } ?? 0)
    writer.array("held_by") { for tag in plan.holdingTags { $0.string(tag.text) } }
    writer.objects("plan", plan.stretches) { writer, stretch in
      writer.member("from", stretch.versions.lowerBound.number)
      writer.member("to", stretch.versions.upperBound.number)
      writer.member("keep", stretch.isKept)
      writer.array("reasons") { for reason in stretch.reasons { $0.string(reason.text) } }
    }
    if let record { writer.object("record") { $0.members(of: record) } }
    if let vacuum {
      writer.member("bytes_before", vacuum.byteCountBefore)
      writer.member("bytes_after", vacuum.byteCountAfter)
      writer.member("held_by_reader", vacuum.isHeldByReader)
    }
  }
}

extension RetentionPlan.Reason {
  fileprivate var text: String {
    switch self {
    case .head: "the newest"
    case .amongLast(let count): "among the newest \(count)"
    case .within(let period): "the newest at some moment within \(period)"
    case .tagged(let name): "tagged \(name)"
    case .newer(let version): "newer than version \(version), which is kept"
    case .notAmongLast(let count): "not among the newest \(count)"
    case .notWithin(let period): "never the newest within \(period)"
    }
  }
}

extension PruneRecord {
  /// The line of the log in place of the pruned versions.
  var line: String {
    let range =
      oldOldest == lastPruned
      ? "version \(oldOldest) was" : "versions \(oldOldest) to \(lastPruned) were"
    let author = author.map { " by \(Output.printable($0))" } ?? ""
    return "\(range) pruned on \(Wording.time(prunedAt))\(author) (\(Output.printable(rule)))"
  }
}
