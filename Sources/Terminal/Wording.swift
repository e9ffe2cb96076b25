import ListDocuments
import ListModel

/// Phrases that several answers share.
package enum Wording {
  package static func count(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(number) \(number == 1 ? singular : plural ?? singular + "s")"
  }

  /// The name of an input file in messages.
  package static func input(_ path: String) -> String {
    path == "-" ? "standard input" : path
  }

  package static func changes(_ counts: ChangeCounts) -> String {
    let words = [
      (counts.removed, "removed"), (counts.moved, "moved"), (counts.inserted, "inserted"),
      (counts.updated, "updated"),
    ]
    let present = words.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return present.isEmpty ? "no changes" : present.joined(separator: ", ")
  }

  /// The time, or the day alone at midnight.
  package static func time(_ time: Timestamp) -> String {
    let text = time.description
    return text.hasSuffix("T00:00:00Z") ? String(text.prefix(10)) : text
  }

  package static func state(_ state: ListState) -> String {
    state.cursor?.description ?? count(state.count, "item")
  }

  /// The id, followed by the item's name, title or label if it has one.
  package static func item(_ id: ItemID, _ content: Content?) -> String {
    let view = content.map { ContentView($0) }
    let names = ["name", "title", "label"].compactMap { view?.member($0) }
    let name = names.first { $0.kind == .string }?.scalarText
    let text = Output.printable(id.text)
    guard let name, ItemID(name) != id, !name.isEmpty else { return text }
    return "\(text)  \(Output.printable(name))"
  }

  /// `/name  "Old" → "New"`, `/name  (new) → "New"` or `/name  "Old" → (gone)`.
  package static func member(_ change: MemberChange, _ palette: Palette) -> String {
    let path = change.path.tokens.isEmpty ? "content" : Output.printable(change.path.description)
    let old = change.old.map { palette.red(short($0)) }
    let new = change.new.map { palette.green(short($0)) }
    switch (old, new) {
    case (let old?, let new?): return "\(path)  \(old) → \(new)"
    case (let old?, nil): return "\(path)  \(old) → (gone)"
    case (nil, let new?): return "\(path)  (new) → \(new)"
    case (nil, nil): return path
    }
  }

  private static let shortCharacterCount = 120

  /// A value, cut after 120 characters.
  package static func short(_ content: Content) -> String {
    let text = Output.printable(content.description)
    return text.count <= shortCharacterCount ? text : text.prefix(shortCharacterCount - 1) + "…"
  }
}
