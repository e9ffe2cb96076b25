/// The places of all items in a flat list of all sections, one behind the other.
///
///     sections  a b | | c d e        paths of c: 2.0
///     flat      0 1     2 3 4        its flat index: 2
struct SectionBounds {
  /// The flat index of each section's first item, and finally the number of all items.
  private let starts: [Int]

  init(itemCounts: [Int]) {
    var starts = [0]
    starts.reserveCapacity(itemCounts.count + 1)
    var end = 0
    for count in itemCounts {
      end += count
      starts.append(end)
    }
    self.starts = starts
  }

  var itemCount: Int { starts[starts.count - 1] }

  func index(of path: ItemPath) -> Int { starts[path.section] + path.item }

  /// The place of the item at a flat index, in O(log s) for s sections.
  func path(at index: Int) -> ItemPath {
    let section = starts.partitioningIndex { $0 > index } - 1
    return ItemPath(section: section, item: index - starts[section])
  }

  /// The flat indexes of a section's items.
  func range(of section: Int) -> Range<Int> { starts[section]..<starts[section + 1] }
}
