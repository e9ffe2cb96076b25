extension Collection where Element: Equatable {
  /// Finds the fewest deletions, insertions and substitutions that turn this list into a newer one.
  ///
  /// The choice among equally short scripts is fixed: the common start is kept, then the common
  /// end; between them, from the end, a step keeps or substitutes if a shortest script can, else
  /// deletes if one can, else inserts.
  ///
  /// The table of distances is that of R. Wagner and M. Fischer, "The string-to-string correction
  /// problem", 1974. Only a band of it is filled, and doubled until the script fits (E. Ukkonen,
  /// "Algorithms for approximate string matching", 1985).
  ///
  /// - Complexity: O(n + m + d · min(n, m)) comparisons of elements for lists of n and m elements
  ///   and a script of d steps; 2 bits for each cell of the band, at most n · m / 4 bytes, and one
  ///   row of m distances.
  public func editScript(to new: some Collection<Element>) -> EditScript<Element> {
    let (old, new) = (Array(self), Array(new))
    let shorter = Swift.min(old.count, new.count)
    let prefix = (0..<shorter).first { old[$0] != new[$0] } ?? shorter
    let suffix =
      (0..<shorter - prefix).first {
        old[old.count - 1 - $0] != new[new.count - 1 - $0]
      } ?? (shorter - prefix)
    let middle = DistanceBand.steps(
      from: old[prefix..<old.count - suffix], to: new[prefix..<new.count - suffix])
    return EditScript(oldCount: old.count, newCount: new.count, steps: middle)
  }
}

/// The cells of the table of distances that a script of at most `limit` steps can reach. Cell
/// (i, j) is the distance between the first i old and the first j new elements:
///
///            new  j
///          ╲ ╲ ╲             a step down deletes, one to the right inserts, a diagonal one
///     old   ╲ ╲ ╲            keeps or substitutes; row i begins at column i + lowest
///      i     ╲ ╲ ╲           and ends at column i + highest
private struct DistanceBand<Element: Equatable> {
  private let old: ArraySlice<Element>
  private let new: ArraySlice<Element>
  private let lowest: Int
  private let highest: Int
  /// The last step on the way to each cell, row by row.
  private var lastSteps: PackedSteps
  /// The distance in the last cell; correct when it is at most the limit.
  private var distance = 0

  static func steps(
    from old: ArraySlice<Element>, to new: ArraySlice<Element>
  ) -> [EditScript<Element>.Step] {
    let longest = max(old.count, new.count)
    var limit = max(abs(old.count - new.count), 1)
    while true {
      var band = DistanceBand(old: old, new: new, limit: limit)
      band.fill()
      if band.distance <= limit || limit >= longest { return band.steps() }
      limit = min(2 * limit, longest)
    }
  }

  private init(old: ArraySlice<Element>, new: ArraySlice<Element>, limit: Int) {
    self.old = old
    self.new = new
    // A script with x deletions and y insertions has y - x = growth and x + y <= limit.
    let growth = new.count - old.count
    lowest = -((limit - growth) / 2)
    highest = (limit + growth) / 2
    let width = min(highest - lowest, new.count) + 1
    lastSteps = PackedSteps(rows: old.count + 1, width: width)
  }

  private func columns(ofRow i: Int) -> ClosedRange<Int> {
    max(0, i + lowest)...min(new.count, i + highest)
  }

  private mutating func fill() {
    let unreachable = old.count + new.count + 1
    // Left of the current cell this row, from it on the row above.
    var row = Array(repeating: unreachable, count: new.count + 1)
    for i in 0...old.count {
      let columns = columns(ofRow: i)
      var left = unreachable
      var aboveLeft = columns.lowerBound > 0 && i > 0 ? row[columns.lowerBound - 1] : unreachable
      for j in columns {
        let above = row[j]
        let (step, cost) = best(i, j, aboveLeft: aboveLeft, above: above, left: left)
        lastSteps.set(step, row: i, column: j - columns.lowerBound)
        row[j] = cost
        (aboveLeft, left) = (above, cost)
      }
    }
    distance = row[new.count]
  }

  private func best(
    _ i: Int, _ j: Int, aboveLeft: Int, above: Int, left: Int
  ) -> (step: PackedSteps.Step, cost: Int) {
    guard i > 0, j > 0 else { return i > 0 ? (.delete, i) : (.insert, j) }
    if old[old.startIndex + i - 1] == new[new.startIndex + j - 1] { return (.keep, aboveLeft) }
    if aboveLeft <= above, aboveLeft <= left { return (.substitute, aboveLeft + 1) }
    return above <= left ? (.delete, above + 1) : (.insert, left + 1)
  }

  /// Walks from the last cell back to the first.
  private func steps() -> [EditScript<Element>.Step] {
    var steps: [EditScript<Element>.Step] = []
    var (i, j) = (old.count, new.count)
    while i > 0 || j > 0 {
      let step = lastSteps.step(row: i, column: j - columns(ofRow: i).lowerBound)
      if step != .insert { i -= 1 }
      if step != .delete { j -= 1 }
      let (from, to) = (old.startIndex + i, new.startIndex + j)
      switch step {
      case .keep: break
      case .delete: steps.append(.delete(from: from, element: old[from]))
      case .insert: steps.append(.insert(to: to, element: new[to]))
      case .substitute:
        steps.append(.substitute(from: from, to: to, old: old[from], new: new[to]))
      }
    }
    return steps.reversed()
  }
}

/// A table of steps, 2 bits each.
private struct PackedSteps {
  enum Step: UInt8 { case keep, substitute, delete, insert }

  private let width: Int
  private var bytes: [UInt8]

  init(rows: Int, width: Int) {
    self.width = width
    bytes = Array(repeating: 0, count: (rows * width + 3) / 4)
  }

  /// - Precondition: Each cell is set once.
  mutating func set(_ step: Step, row: Int, column: Int) {
    let place = row * width + column
    bytes[place / 4] |= step.rawValue << (place % 4 * 2)
  }

  func step(row: Int, column: Int) -> Step {
    let place = row * width + column
    // Two bits are always one of the four.
    return Step(rawValue: bytes[place / 4] >> (place % 4 * 2) & 3) ?? .keep
  }
}
