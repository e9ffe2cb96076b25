/// A list from which single items are taken out and into which others are put, until all of it
/// becomes one change set.
///
///     var list = EditedList(count: 5_000, indexes: ["zion": 7, "arches": 9], elements: [zion])
///     list.remove("zion")
///     list.insert(zion, at: 0)
///     let changes = list.changes      // moved: zion, 7 → 0
///
/// It knows no other items of the first list than those that it was told about. An item that is
/// taken out and put in again, in whatever order, has moved, was updated, or is as it was: the
/// change set depends on the first list and the last one alone.
package struct EditedList<Element: Identifiable & Equatable> {
  private var composer: StepComposer<Element>
  /// The name in the rope of each known item that is, or was, in the list.
  private var names: [Element.ID: Int]
  /// The known items that are in the list, those of which nothing but the index is known left out.
  private var elements: [Element.ID: Element]

  /// - Parameters:
  ///   - count: the number of items of the first list.
  ///   - indexes: where known items stand in it.
  ///   - elements: those of them that may be taken out.
  /// - Complexity: O(k log k) for k known items.
  package init(count: Int, indexes: [Element.ID: Int], elements: [Element]) {
    self.init(
      count: count, indexes: indexes, elements: elements, nodeCapacity: Rope.nodeCapacity)
  }

  /// - Parameter nodeCapacity: that of the rope, which tests make small.
  init(count: Int, indexes: [Element.ID: Int], elements: [Element], nodeCapacity: Int) {
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

  /// Takes a known item out.
  ///
  /// - Returns: the index that it had; nil when the list did not hold it.
  /// - Complexity: O(log s) after s operations.
  package mutating func remove(_ id: Element.ID) -> Int? {
    guard let name = names[id], let index = composer.rope.index(of: name) else { return nil }
    guard let element = elements.removeValue(forKey: id) else {
      preconditionFailure("an item that is taken out is known")
    }
    _ = composer.rope.remove(at: index)
    composer.items.remove(.init(from: index, element: element), named: name)
    return index
  }

  /// Puts an item in that the list does not hold, so that it stands at an index.
  ///
  /// - Complexity: O(log s) after s operations.
  package mutating func insert(_ element: Element, at index: Int) {
    let name = composer.items.insert(.init(to: index, element: element))
    composer.rope.insert(name, at: index, isTracked: true)
    names[element.id] = name
    elements[element.id] = element
  }

  /// The canonical change set from the first list to this one; a move of an item that is not known
  /// has no id.
  ///
  /// - Complexity: O(s log s) after s operations, whatever the lists' length.
  package var changes: ChangeSet<Element> { composer.changeSet() }
}
