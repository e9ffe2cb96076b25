import ArgumentParser
import Foundation
import ListModel
import Synchronization

/// Phrases that several answers share.
enum Wording {
  static func count(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(number) \(number == 1 ? singular : plural ?? singular + "s")"
  }

  /// Counts of a column, with their digits aligned: ` 1 item`, `12 items`.
  static func counts(_ numbers: [Int], _ singular: String) -> [String] {
    let width = numbers.map { "\($0)".count }.max() ?? 0
    return numbers.map { number in
      String(repeating: " ", count: width - "\(number)".count) + count(number, singular)
    }
  }

  /// The name of an input file in messages.
  static func input(_ path: String) -> String {
    path == "-" ? "standard input" : path
  }

  static func changes(_ counts: ChangeCounts) -> String {
    let words = [
      (counts.removed, "removed"), (counts.moved, "moved"), (counts.inserted, "inserted"),
      (counts.updated, "updated"),
    ]
    let present = words.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return present.isEmpty ? "no changes" : present.joined(separator: ", ")
  }

  /// The time in UTC, or the day alone at midnight; with `--local` the time in the local zone.
  static func time(_ time: Timestamp) -> String {
    if showsLocalTimes.withLock({ $0 }) { return localTime(time) }
    let text = time.description
    return text.hasSuffix("T00:00:00Z") ? String(text.prefix(10)) : text
  }

  /// `parks 5-3f9a1c2b7d40 → 7-81c2e4f60a97`
  static func states(of delta: Delta) -> String {
    [delta.list?.text, state(delta.from), "→", state(delta.to)].compactMap { $0 }
      .joined(separator: " ")
  }

  /// `parks 5-3f9a1c2b7d40 → 7-81c2e4f60a97: 2 moved, 1 updated`
  static func title(_ title: String, _ shown: ShownChanges, _ palette: Palette) -> String {
    "\(palette.bold(title)): \(changes(shown.counts))"
  }

  fileprivate static let showsLocalTimes = Mutex(false)

  /// `2026-11-22T13:00:00+01:00`, by the zone that `TZ` or the system names; in UTC where the local
  /// year is 0 or 10000, which RFC 3339 cannot write.
  private static func localTime(_ time: Timestamp) -> String {
    var seconds = time_t(time.millisecondsSince1970 / 1000)
    var fields = tm()
    localtime_r(&seconds, &fields)
    // RFC 3339 has no seconds in an offset; local mean times of old dates have some.
    let minutes = fields.tm_gmtoff / 60
    let milliseconds = time.millisecondsSince1970 + Int64(minutes) * 60_000
    guard Timestamp.millisecondRange.contains(milliseconds) else { return time.description }
    let local = Timestamp(millisecondsSince1970: milliseconds)
    let (hour, minute) = abs(minutes).quotientAndRemainder(dividingBy: 60)
    let offset = [hour, minute].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    return "\(local.description.dropLast())\(minutes < 0 ? "-" : "+")\(offset)"
  }

  static func state(_ state: ListState) -> String {
    state.cursor?.short ?? count(state.count, "item")
  }

  /// The id, followed by the item's title: the member that the list's commits named, or its name,
  /// title or label.
  static func item(
    _ id: ItemID, _ content: Content?, titlePath: JSONPointer? = nil
  ) -> String {
    let view = content.map { ContentView($0) }
    let usual = ["name", "title", "label"].map { JSONPointer(tokens: [$0]) }
    let titles = ([titlePath].compactMap { $0 } + usual).lazy.compactMap { view?.value(at: $0) }
    let title = titles.first { $0.kind == .string }?.scalarText
    let text = Output.printable(id.text)
    guard let title, ItemID(title) != id, !title.isEmpty else { return text }
    return "\(text)  \(Output.printable(title))"
  }

  /// `/name  "Old" → "New"`, `/name  (new) → "New"` or `/name  "Old" → (gone)`.
  static func member(_ change: MemberChange, _ palette: Palette) -> String {
    "\(path(change.path))  \(values(change, palette))"
  }

  static func path(_ path: JSONPointer) -> String {
    path.tokens.isEmpty ? "content" : Output.printable(path.description)
  }

  /// `"Old" → "New"`. Long values are cut around their first difference.
  static func values(_ change: MemberChange, _ palette: Palette) -> String {
    let (old, new) = (change.old.map(text), change.new.map(text))
    let start = old.flatMap { old in new.map { Self.start(of: old, $0) } } ?? 0
    let before = old.map { palette.red(cut($0, from: start)) } ?? "(new)"
    let after = new.map { palette.green(cut($0, from: start)) } ?? "(gone)"
    return "\(before) → \(after)"
  }

  private static let shortCharacterCount = 120
  /// The number of equal characters shown before the first difference of cut values.
  private static let leadCharacterCount = 30

  /// A value, cut after 120 characters.
  static func short(_ content: Content) -> String { cut(text(content), from: 0) }

  private static func text(_ content: Content) -> String { Output.printable(content.description) }

  /// The number of characters to leave out at the start of two values, so that a cut shows where
  /// they differ.
  private static func start(of a: String, _ b: String) -> Int {
    guard max(a.count, b.count) > shortCharacterCount else { return 0 }
    let commonCount = zip(a, b).prefix { $0 == $1 }.count
    return commonCount > 2 * leadCharacterCount ? commonCount - leadCharacterCount : 0
  }

  private static func cut(_ text: String, from start: Int) -> String {
    let rest = text.dropFirst(start)
    let shown =
      rest.count <= shortCharacterCount ? String(rest) : rest.prefix(shortCharacterCount - 1) + "…"
    return start == 0 ? shown : "…" + shown
  }
}

/// The zone of the times of a verb. Its validation sets the zone of ``Wording/time(_:)``.
struct TimeOptions: ParsableArguments {
  @Flag(name: .customLong("local"), help: "Show times in the local zone (TZ), not in UTC.")
  var isLocal = false

  func validate() { if isLocal { Wording.showsLocalTimes.withLock { $0 = true } } }
}
