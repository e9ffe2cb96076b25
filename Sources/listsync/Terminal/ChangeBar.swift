import ListModel

/// The changes of a version as a bar in the signs and colours of `diff`. A long bar is scaled down.
struct ChangeBar {
  /// The number of changes of the version with the most changes.
  let largestCount: Int
  /// Columns that the longest bar may use.
  let width: Int
  let palette: Palette

  /// `12 --+++>>>>~~~`, the number padded to the width of the largest.
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

  /// The number of signs for each count: at least one for a count above 0, and no more than the
  /// width in total.
  func lengths(_ counts: [Int]) -> [Int] {
    guard largestCount > width else { return counts }
    // Each count above 0 gets one sign; the remaining columns are shared in proportion.
    let present = counts.filter { $0 > 0 }.count
    let (room, rest) = (max(0, width - present), max(1, largestCount - present))
    return counts.map { $0 == 0 ? 0 : 1 + ($0 - 1) * room / rest }
  }
}
