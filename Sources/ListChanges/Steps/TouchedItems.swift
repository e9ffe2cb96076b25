/// The items of a first list that steps removed, brought back or updated, ascending by index.
@usableFromInline
struct TouchedItems<Element: Identifiable & Equatable> {
  @usableFromInline typealias Changes = ChangeSet<Element>

  @usableFromInline
  struct Item {
    /// The index in the first list.
    @usableFromInline let from: Int
    @usableFromInline let before: Element
    /// Nil when the last list lacks the item.
    @usableFromInline let after: Element?

    @inlinable
    init(from: Int, before: Element, after: Element?) {
      self.from = from
      self.before = before
      self.after = after
    }
  }

  @usableFromInline private(set) var items: [Item] = []

  /// - Complexity: O(t log t) for t touches.
  @inlinable
  init(_ touches: [ComposedItems<Element>.Touch]) {
    var order = touches.indices.map { (name: touches[$0].name, touch: $0) }
    order.sort { ($0.name, $0.touch) < ($1.name, $1.touch) }
    items.reserveCapacity(order.count)
    var start = 0
    while start < order.count {
      var end = start + 1
      while end < order.count, order[end].name == order[start].name { end += 1 }
      // An item of the first list is there before it is touched first.
      if let before = touches[order[start].touch].before {
        items.append(
          Item(
            from: order[start].name, before: before, after: touches[order[end - 1].touch].after))
      }
      start = end
    }
  }

  @inlinable
  var removals: [Changes.Removal] {
    items.lazy.filter { $0.after == nil }.map { .init(from: $0.from, element: $0.before) }
  }

  /// The position of the first item whose index is `from` or above; found at once where that is
  /// `position`.
  @inlinable
  func position(notBelow from: Int, near position: Int) -> Int {
    let isAbove = position == items.count || items[position].from >= from
    let isFirst = position == 0 || items[position - 1].from < from
    return isAbove && isFirst ? position : items.partitioningIndex { $0.from >= from }
  }

  /// The updates of the items of a run, from `position` on, which goes behind the run.
  @inlinable
  func appendUpdates(
    of run: Alignment.Run, from position: inout Int, to updated: inout [Changes.Update]
  ) {
    while position < items.count, items[position].from < run.oldEnd {
      let item = items[position]
      position += 1
      guard let after = item.after, after != item.before else { continue }
      updated.append(
        .init(from: item.from, to: item.from - run.old + run.new, old: item.before, new: after))
    }
  }

  /// The id of the item at an index of the first list, or nil where none was touched.
  @inlinable
  func id(ofOld index: Int) -> Element.ID? {
    let position = items.partitioningIndex { $0.from >= index }
    return position < items.count && items[position].from == index
      ? items[position].before.id : nil
  }
}
