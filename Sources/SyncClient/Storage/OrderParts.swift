import ListChanges

/// The order of a list as keys of its items, in parts of bounded size, so that a change of the list
/// changes few parts. Other appliers of changes make the new list; this also tells which parts of a
/// file differ.
struct OrderParts: Equatable {
  struct Part: Equatable {
    /// Identifies the part; never reused.
    let number: Int64
    var keys: [Int64]
  }

  /// The item count of a new part. A part with more than twice as many is cut.
  static let standardCount = 256

  private(set) var parts: [Part]

  init(_ parts: [Part] = []) { self.parts = parts }

  var keys: [Int64] { parts.flatMap(\.keys) }

  /// The changed parts.
  struct Difference: Equatable {
    var written: [Part] = []
    var removed: [Int64] = []
    /// Whether the sequence of part numbers changed.
    var isOrderChanged = false
  }

  /// Applies changes of the list.
  ///
  /// - Parameters:
  ///   - keys: the keys of the new list in order.
  ///   - newNumber: gives the number of a new part.
  /// - Complexity: O(n) in memory; O(d) parts change.
  mutating func apply<Element>(
    _ changes: ChangeSet<Element>, keys: [Int64], newNumber: () -> Int64
  ) -> Difference {
    let (starts, ends) = bounds(changes)
    var difference = Difference()
    var result: [Part] = []
    for (index, part) in parts.enumerated() {
      let new = keys[starts[index]..<ends[index]]
      if new.elementsEqual(part.keys) {
        result.append(part)
      } else if new.isEmpty {
        difference.removed.append(part.number)
      } else {
        result += cut(new, first: part.number, newNumber: newNumber, into: &difference)
      }
    }
    if parts.isEmpty, !keys.isEmpty {
      result = cut(keys[...], first: newNumber(), newNumber: newNumber, into: &difference)
    }
    difference.isOrderChanged = result.map(\.number) != parts.map(\.number)
    parts = result
    return difference
  }

  private func cut(
    _ keys: ArraySlice<Int64>, first: Int64, newNumber: () -> Int64,
    into difference: inout Difference
  ) -> [Part] {
    let isSmall = keys.count <= 2 * Self.standardCount
    let length = isSmall ? keys.count : Self.standardCount
    let starts = Array(stride(from: keys.startIndex, to: keys.endIndex, by: length))
    let parts = starts.map { start in
      Part(
        number: start == keys.startIndex ? first : newNumber(),
        keys: Array(keys[start..<min(start + length, keys.endIndex)]))
    }
    difference.written += parts
    return parts
  }

  /// The start and end of each part in the new list. A part ends after the last of its kept items;
  /// an item that arrives before a kept item joins its part.
  ///
  ///     old   a b c | d e f        d goes, x and y come
  ///     new   a x b c | e f y
  private func bounds<Element>(_ changes: ChangeSet<Element>) -> (starts: [Int], ends: [Int]) {
    let departures = (changes.removed.map(\.from) + changes.moved.map(\.from)).sorted()
    let arrivals = (changes.inserted.map(\.to) + changes.moved.map(\.to)).sorted()
    var (oldEnd, gone, come) = (0, 0, 0)
    var ends: [Int] = []
    for part in parts {
      oldEnd += part.keys.count
      while gone < departures.count, departures[gone] < oldEnd { gone += 1 }
      let keptCount = oldEnd - gone
      while come < arrivals.count, arrivals[come] < keptCount + come { come += 1 }
      ends.append(keptCount + come)
    }
    if !ends.isEmpty { ends[ends.count - 1] = changes.newCount }
    return ([0] + ends.dropLast(), ends)
  }
}
