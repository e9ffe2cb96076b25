/// A list from which single items are removed and into which others are inserted; all edits become
/// one change set.
///
///     var list = EditedList(count: 5_000, indexes: ["zion": 7, "arches": 9], elements: [zion])
///     list.remove("zion")
///     list.insert(zion, at: 0)
///     let changes = list.changes      // moved: zion, 7 → 0
///
/// It knows only the given items of the first list. An item that is removed and inserted again has
/// moved, was updated, or is unchanged: the change set depends only on the first and the last list.
package struct EditedList<Element: Identifiable & Equatable> {
  private var composer: StepComposer<Element>
  /// The name in the rope of each known item that is, or was, in the list.
  private var names: [Element.ID: Int]
  /// The known items in the list whose element is known.
  private var elements: [Element.ID: Element]

  /// - Parameters:
  ///   - count: the number of items of the first list.
  ///   - indexes: the indexes of known items in it.
  ///   - elements: the known items that may be removed.
  ///   - nodeCapacity: the capacity of the rope's nodes, small in tests.
  /// - Complexity: O(k log k) for k known items.
  package init(
    count: Int, indexes: [Element.ID: Int], elements: [Element],
    nodeCapacity: Int = Rope.nodeCapacity
  ) {
    composer = StepComposer(oldCount: count, nodeCapacity: nodeCapacity)
    names = indexes
    self.elements = Dictionary(uniqueKeysWithValues: elements.map { ($0.id, $0) })
    for index in indexes.values { composer.rope.track(at: index) }
  }

  /// The number of items.
  package var count: Int { composer.rope.count }

  /// The nodes of the rope, for tests that count.
  var nodeCount: Int { composer.rope.nodeCount }

  /// The index of a known item; nil when the list does not hold it.
  ///
  /// - Complexity: O(log s) after s operations.
  package func index(of id: Element.ID) -> Int? { names[id].flatMap(composer.rope.index(of:)) }

  /// A known item; nil when the list does not hold it.
  package func element(of id: Element.ID) -> Element? { elements[id] }

  /// Removes a known item.
  ///
  /// - Returns: its index; nil when the list does not hold it.
  /// - Complexity: O(log s) after s operations.
  package mutating func remove(_ id: Element.ID) -> Int? {
    guard let name = names[id], let index = composer.rope.index(of: name) else { return nil }
    guard let element = elements.removeValue(forKey: id) else {
      preconditionFailure("the element of a removed item is known")
    }
    _ = composer.rope.remove(at: index)
    composer.items.remove(.init(from: index, element: element), named: name)
    return index
  }

  /// Inserts an item that the list does not hold, so that its index is the given one.
  ///
  /// - Complexity: O(log s) after s operations.
  package mutating func insert(_ element: Element, at index: Int) {
    let name = composer.items.insert(.init(to: index, element: element))
    composer.rope.insert(name, at: index, isTracked: true)
    names[element.id] = name
    elements[element.id] = element
  }

  /// The canonical change set from the first list to this one; moves of unknown items have no id.
  ///
  /// - Complexity: O(s log s) after s operations, for lists of any length.
  package var changes: ChangeSet<Element> { composer.changeSet() }
}
