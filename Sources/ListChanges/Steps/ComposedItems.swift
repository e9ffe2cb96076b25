/// What many steps did to the items of a list: what was placed, and each touch of an item of the
/// first list.
///
/// Items are known by the names of a rope, so that only ids that leave or come are hashed.
@usableFromInline
struct ComposedItems<Element: Identifiable & Equatable>: NamedItems {
  @usableFromInline typealias Changes = ChangeSet<Element>

  /// One change of an item of the first list: nil before where it came back, nil after where it
  /// was removed.
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
  /// What was placed, also where it is gone again.
  @usableFromInline var placed: [Element] = []
  @usableFromInline var touches: [Touch] = []
  /// The ids of moved items of the first list by their names, as far as the moves tell.
  @usableFromInline var movedIDs: [Int: Element.ID] = [:]
  /// The names of items that the first list had and the present one lacks, as far as the first
  /// `hashedTouchCount` touches go.
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

  /// Gives an item that the first list had its name again, any other a new one.
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

  /// Hashes what was removed since the last insertion; after the last one nothing needs it.
  @inlinable
  mutating func hashLost() {
    for touch in touches[hashedTouchCount...] where touch.after == nil {
      if let id = touch.before?.id { lost[id] = touch.name }
    }
    hashedTouchCount = touches.count
  }
}
