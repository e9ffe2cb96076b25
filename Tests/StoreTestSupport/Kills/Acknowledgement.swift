import ListModel

/// The line that a process prints when an act has returned.
package struct Acknowledgement: Equatable, Sendable {
  package let number: Int
  /// As ``KillAct/perform(on:at:source:)`` returns it.
  package let cursor: Cursor?

  package init(number: Int, cursor: Cursor?) {
    self.number = number
    self.cursor = cursor
  }

  package var line: String { "\(number) \(cursor?.description ?? "-")" }

  /// Nil when the line is not one.
  package init?(line: String) {
    let parts = line.split(separator: " ")
    guard parts.count == 2, let number = Int(parts[0]) else { return nil }
    self.number = number
    cursor = Cursor(String(parts[1]))
    if cursor == nil, parts[1] != "-" { return nil }
  }
}
