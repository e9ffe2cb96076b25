/// The items of a first list that steps removed, inserted again or updated, ascending by index.
@usableFromInline
struct TouchedItems<Element: Identifiable & Equatable> {
  @usableFromInline typealias Changes = ChangeSet<Element>
  @usableFromInline typealias Touch = ComposedItems<Element>.Touch

  /// One for each item: its content in the first list, never nil, and in the last one.
  @usableFromInline private(set) var items: [Touch] = []

  /// - Complexity: O(t log t) for t touches.
  @inlinable
  init(_ touches: [Touch]) {
    var order = touches.indices.map { (name: touches[$0].name, touch: $0) }
    order.sort { ($0.name, $0.touch) < ($1.name, $1.touch) }
    items.reserveCapacity(order.count)
    var start = 0
    while start < order.count {
      var end = start + 1
      while end < order.count, order[end].name == order[start].name { end += 1 }
      items.append(
        Touch(
          name: order[start].name, before: touches[order[start].touch].before,
          after: touches[order[end - 1].touch].after))
      start = end
    }
  }

  @inlinable
  var removals: [Changes.Removal] {
    items.lazy.filter { $0.after == nil }.compactMap { item in
      item.before.map { .init(from: item.name, element: $0) }
    }
  }

  /// The position of the first item whose index is at least `from`; tries `position` first.
  @inlinable
  func position(notBelow from: Int, near position: Int) -> Int {
    let isAbove = position == items.count || items[position].name >= from
    let isFirst = position == 0 || items[position - 1].name < from
    return isAbove && isFirst ? position : items.partitioningIndex { $0.name >= from }
  }

  /// Appends the updates of the items of a run, and advances `position` behind the run.
  @inlinable
  func appendUpdates(
    of run: Alignment.Run, from position: inout Int, to updated: inout [Changes.Update]
  ) {
    while position < items.count, items[position].name < run.oldEnd {
      let item = items[position]
      position += 1
      guard let before = item.before, let after = item.after, after != before else { continue }
      updated.append(
        .init(from: item.name, to: item.name - run.old + run.new, old: before, new: after))
    }
  }

  /// The id of the touched item at an index of the first list; nil when it was not touched.
  @inlinable
  func id(ofOld index: Int) -> Element.ID? {
    let position = items.partitioningIndex { $0.name >= index }
    return position < items.count && items[position].name == index
      ? items[position].before?.id : nil
  }
}
