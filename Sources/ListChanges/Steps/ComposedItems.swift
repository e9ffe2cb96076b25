/// The effects of many steps on the items of a list: the inserted items, and each touch of an item
/// of the first list.
///
/// Items are identified by their names in a rope, so only ids that are removed or inserted are
/// hashed.
@usableFromInline
struct ComposedItems<Element: Identifiable & Equatable>: NamedItems {
  @usableFromInline typealias Changes = ChangeSet<Element>

  /// One change of an item of the first list: `before` is nil when it came back, `after` when it
  /// was removed. The name is the index in the first list.
  @usableFromInline
  struct Touch {
    @usableFromInline let name: Int
    @usableFromInline let before: Element?
    @usableFromInline let after: Element?

    @inlinable
    init(name: Int, before: Element?, after: Element?) {
      self.name = name
      self.before = before
      self.after = after
    }
  }

  @usableFromInline let oldCount: Int
  /// The inserted items, including those removed again.
  @usableFromInline var placed: [Element] = []
  @usableFromInline var touches: [Touch] = []
  /// The known ids of moved items of the first list, by name.
  @usableFromInline var movedIDs: [Int: Element.ID] = [:]
  /// The names of items of the first list that are removed now, by the first `hashedTouchCount`
  /// touches.
  @usableFromInline var lost: [Element.ID: Int] = [:]
  @usableFromInline var hashedTouchCount = 0

  @inlinable
  init(oldCount: Int) { self.oldCount = oldCount }

  @inlinable var firstPlacedName: Int { Rope.firstFreeName(after: oldCount) }

  @inlinable
  mutating func remove(_ removal: Changes.Removal, named name: Int) {
    guard name < oldCount else { return }
    touches.append(Touch(name: name, before: removal.element, after: nil))
  }

  @inlinable
  mutating func move(_ move: Changes.Move, named name: Int) {
    if name < oldCount, let id = move.id { movedIDs[name] = id }
  }

  /// Returns the old name of an item of the first list, and a new name for any other.
  @inlinable
  mutating func insert(_ insertion: Changes.Insertion) -> Int {
    hashLost()
    if !lost.isEmpty, let name = lost.removeValue(forKey: insertion.element.id) {
      touches.append(Touch(name: name, before: nil, after: insertion.element))
      return name
    }
    placed.append(insertion.element)
    return firstPlacedName + placed.count - 1
  }

  @inlinable
  mutating func update(_ update: Changes.Update, named name: Int) {
    if name < oldCount {
      touches.append(Touch(name: name, before: update.old, after: update.new))
    } else {
      placed[name - firstPlacedName] = update.new
    }
  }

  /// Hashes the ids removed since the last insertion. Removals after the last insertion are never
  /// hashed.
  @inlinable
  mutating func hashLost() {
    for touch in touches[hashedTouchCount...] where touch.after == nil {
      if let id = touch.before?.id { lost[id] = touch.name }
    }
    hashedTouchCount = touches.count
  }
}
