/// A list to which successive steps are applied, each at the cost of its changes, not of the list.
///
///     var list = ReplayedList(snapshot)
///     for step in steps { try list.apply(step) }
///     let current = list.elements
///
/// `applying(_:)` of a collection is for a single step: it visits the whole list each time. This
/// uses it for a step that is large compared with the list, and rewrites the list after many small
/// ones.
public struct ReplayedList<Element: Identifiable & Equatable> {
  @usableFromInline var rope: Rope
  @usableFromInline var items: ReplayedItems<Element>
  /// The removals, moves and insertions since the list was last rewritten.
  @usableFromInline var appliedCount = 0
  @usableFromInline let nodeCapacity: Int

  /// - Complexity: O(1); the first change copies the elements if their storage is shared.
  @inlinable
  public init(_ elements: [Element]) { self.init(elements, nodeCapacity: Rope.nodeCapacity) }

  /// - Parameter nodeCapacity: the capacity of the rope's nodes, small in tests.
  @inlinable
  init(_ elements: [Element], nodeCapacity: Int) {
    self.nodeCapacity = nodeCapacity
    rope = Rope(count: elements.count, nodeCapacity: nodeCapacity)
    items = ReplayedItems(written: elements)
  }

  /// The number of elements.
  @inlinable
  public var count: Int { rope.count }

  /// The element at an index of the current list.
  ///
  /// - Precondition: The index is one of the list's.
  /// - Complexity: O(log n) for n elements.
  @inlinable
  public subscript(index: Int) -> Element { items[rope.name(at: index)] }

  /// The current list.
  ///
  /// - Complexity: O(n) for n elements; O(1) right after a rewrite.
  @inlinable
  public var elements: [Element] {
    if appliedCount == 0 { return items.written }
    var elements: [Element] = []
    elements.reserveCapacity(count)
    rope.forEachSegment { items.append($0, $1, to: &elements) }
    return elements
  }
}

extension ReplayedList where Element.ID: Sendable {
  /// Makes the new list from the current one.
  ///
  /// - Throws: As `applying(_:)`; the list then stays unchanged.
  /// - Complexity: Amortized O(log n) for each of the step's changes; O(n) for a step whose
  ///   removals, moves and insertions are more than an eighth of the list.
  @inlinable
  public mutating func apply(
    _ step: ChangeSet<Element>
  ) throws(ListChangesError<Element.ID>) {
    let added = step.count - step.updated.count
    guard added <= count / Self.itemsPerChange else {
      return rewrite(try elements.applying(step))
    }
    let mismatch = step.mismatch(
      count: count, item: { items[rope.name(at: $0)] }, naming: { $0 })
    if let mismatch { throw mismatch }
    rope.apply(step, updating: &items)
    appliedCount += added
    if appliedCount > count / Self.itemsPerChange { rewrite(elements) }
  }

  /// The number of items that a rewrite visits for each change since the last rewrite.
  @inlinable
  static var itemsPerChange: Int { 8 }

  @inlinable
  mutating func rewrite(_ elements: [Element]) {
    self = ReplayedList(elements, nodeCapacity: nodeCapacity)
  }
}

extension ReplayedList: Sendable where Element: Sendable {}

/// The items of a replayed list by their names in its rope.
@usableFromInline
struct ReplayedItems<Element: Identifiable & Equatable>: NamedItems {
  @usableFromInline typealias Changes = ChangeSet<Element>

  /// The list of the last rewrite with the updates since; an index here is a name.
  @usableFromInline var written: [Element]
  /// The items inserted since then.
  @usableFromInline var placed: [Element] = []

  @inlinable
  init(written: [Element]) { self.written = written }

  @inlinable var firstPlacedName: Int { Rope.firstFreeName(after: written.count) }

  @inlinable
  subscript(name: Int) -> Element {
    name < written.count ? written[name] : placed[name - firstPlacedName]
  }

  /// Appends items with consecutive names.
  @inlinable
  func append(_ name: Int, _ count: Int, to elements: inout [Element]) {
    if name < written.count {
      elements.append(contentsOf: written[name..<name + count])
    } else {
      elements.append(contentsOf: placed[(name - firstPlacedName)...].prefix(count))
    }
  }

  @inlinable
  mutating func remove(_ removal: Changes.Removal, named name: Int) {}

  @inlinable
  mutating func move(_ move: Changes.Move, named name: Int) {}

  @inlinable
  mutating func insert(_ insertion: Changes.Insertion) -> Int {
    placed.append(insertion.element)
    return firstPlacedName + placed.count - 1
  }

  @inlinable
  mutating func update(_ update: Changes.Update, named name: Int) {
    if name < written.count {
      written[name] = update.new
    } else {
      placed[name - firstPlacedName] = update.new
    }
  }
}

extension ReplayedItems: Sendable where Element: Sendable {}
