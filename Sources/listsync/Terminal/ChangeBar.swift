import ListModel
import Terminal

/// The changes of a version as a bar: one sign for each change, or for so many, in the signs and
/// colours of `diff`.
struct ChangeBar {
  /// The changes of the version with the most, whose bar is the longest.
  let largestCount: Int
  /// Columns that the longest bar may take.
  let width: Int
  let palette: Palette

  /// `12 --+++>>>>~~~`, the number padded to that of the largest.
  func line(_ counts: ChangeCounts) -> String {
    let number = "\(counts.total)".leftPadding(to: "\(largestCount)".count)
    return "\(number) \(bar(counts))"
  }

  private func bar(_ counts: ChangeCounts) -> String {
    let lengths = lengths([counts.removed, counts.inserted, counts.moved, counts.updated])
    let signs = [
      ("-", palette.red), ("+", palette.green), (">", palette.cyan), ("~", palette.yellow),
    ]
    return zip(signs, lengths).filter { $1 > 0 }.map { sign, length in
      sign.1(String(repeating: sign.0, count: length))
    }.joined()
  }

  /// How many signs each number gets. Every number above 0 gets one at least, and all together no
  /// more than the width.
  func lengths(_ counts: [Int]) -> [Int] {
    guard largestCount > width else { return counts }
    // The room that is left when every number has its one sign is dealt out in proportion.
    let present = counts.filter { $0 > 0 }.count
    let (room, rest) = (max(0, width - present), max(1, largestCount - present))
    return counts.map { $0 == 0 ? 0 : 1 + ($0 - 1) * room / rest }
  }
}
