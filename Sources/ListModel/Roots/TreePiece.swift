import ListChanges

/// Consecutive elements of a level of a new tree.
package enum TreePiece<Element: Sendable>: Sendable {
  /// Those of the old tree that cover some items.
  case old(_ items: Range<Int>)
  case new([Element])
}

/// Collects pieces, and joins old ones that touch.
package struct TreePieces<Element: Sendable> {
  private var pieces: [TreePiece<Element>] = []
  private var new: [Element] = []

  package init() {}

  package mutating func append(_ element: Element) { new.append(element) }

  mutating func append(_ elements: ArraySlice<Element>) { new += elements }

  package mutating func append(old items: Range<Int>) {
    if items.isEmpty { return }
    if new.isEmpty, case .old(let before)? = pieces.last, before.upperBound == items.lowerBound {
      pieces[pieces.count - 1] = .old(before.lowerBound..<items.upperBound)
    } else {
      if !new.isEmpty { pieces.append(.new(new)) }
      pieces.append(.old(items))
      new = []
    }
  }

  package func finished() -> [TreePiece<Element>] { new.isEmpty ? pieces : pieces + [.new(new)] }
}

extension TreePiece {
  /// The items after a step. Items that it inserts or updates are new ones.
  ///
  /// - Parameters:
  ///   - runs: the items that are kept.
  ///   - inserted: the new indexes of the inserted items, ascending, and an element for each.
  ///   - updated: the same of the updated items.
  package static func all(
    kept runs: [Alignment.Run], inserted: (places: [Int], elements: [Element]),
    updated: (places: [Int], elements: [Element])
  ) -> [TreePiece<Element>] {
    var pieces = TreePieces<Element>()
    var (insertion, update) = (0, 0)
    for run in runs {
      let first = insertion
      while insertion < inserted.places.count, inserted.places[insertion] < run.new {
        insertion += 1
      }
      pieces.append(inserted.elements[first..<insertion])
      var start = run.old
      while update < updated.places.count, updated.places[update] < run.new + run.count {
        let index = run.old + updated.places[update] - run.new
        pieces.append(old: start..<index)
        pieces.append(updated.elements[update])
        (start, update) = (index + 1, update + 1)
      }
      pieces.append(old: start..<run.old + run.count)
    }
    pieces.append(inserted.elements[insertion...])
    return pieces.finished()
  }
}
