/// All changes from one identified, ordered list (the old one) to another (the new one).
///
/// Items are matched by `id`; an id occurs at most once in each list. The four arrays describe
/// every difference in contents and order:
///
///     old   a  b  c  d         removed  [0]           a
///              │  │            moved    [3 → 0]       d
///     new   d  b  c  e         inserted [3]           e
///
/// `from` is always an index in the old list, `to` always an index in the new one. An item is in at
/// most one of `removed`, `moved` and `inserted`; it may be both `moved` and `updated`.
///
/// A change set is *complete*: removals and updates carry the old elements, so it can be inverted
/// and composed without either list. It is *canonical* when its moves are those that
/// ``Swift/Collection/changes(to:isCancelled:)`` chooses; two lists have exactly one canonical
/// change set.
public struct ChangeSet<Element: Identifiable & Equatable> {
  /// An item of the old list whose id the new list lacks.
  public struct Removal: Equatable {
    public let from: Int
    public let element: Element

    @inlinable
    public init(from: Int, element: Element) {
      self.from = from
      self.element = element
    }
  }

  /// An item of both lists that is not among those that kept their relative order.
  ///
  /// Two moves are equal when their indexes are; the old list determines the id.
  public struct Move: Equatable {
    public let from: Int
    public let to: Int
    /// The id of the item; nil in a composition of changes that do not contain it. The item is the
    /// one at `from` in the old list.
    public let id: Element.ID?

    @inlinable
    public init(from: Int, to: Int, id: Element.ID?) {
      self.from = from
      self.to = to
      self.id = id
    }

    public static func == (a: Self, b: Self) -> Bool { a.from == b.from && a.to == b.to }
  }

  /// An item of the new list whose id the old list lacks.
  public struct Insertion: Equatable {
    public let to: Int
    public let element: Element

    @inlinable
    public init(to: Int, element: Element) {
      self.to = to
      self.element = element
    }
  }

  /// An item of both lists whose contents are unequal, moved or not.
  public struct Update: Equatable {
    public let from: Int
    public let to: Int
    public let old: Element
    public let new: Element

    @inlinable
    public init(from: Int, to: Int, old: Element, new: Element) {
      self.from = from
      self.to = to
      self.old = old
      self.new = new
    }
  }

  /// The number of items in the old list.
  public let oldCount: Int
  /// The number of items in the new list.
  public let newCount: Int
  /// Ascending by `from`.
  public let removed: [Removal]
  /// Ascending by `from`.
  public let moved: [Move]
  /// Ascending by `to`.
  public let inserted: [Insertion]
  /// Ascending by `to`.
  public let updated: [Update]

  /// Makes a change set of arrays that are known to be valid;
  /// ``init(oldCount:newCount:removed:moved:inserted:updated:)`` validates them.
  @inlinable
  init(
    uncheckedOldCount oldCount: Int, newCount: Int, removed: [Removal], moved: [Move],
    inserted: [Insertion], updated: [Update]
  ) {
    self.oldCount = oldCount
    self.newCount = newCount
    self.removed = removed
    self.moved = moved
    self.inserted = inserted
    self.updated = updated
    assert(isValid)
  }

  @usableFromInline var isValid: Bool { violation == nil }

  /// The number of single changes; 0 if and only if the two lists are equal.
  public var count: Int { removed.count + moved.count + inserted.count + updated.count }

  public var isEmpty: Bool { count == 0 }
}

extension ChangeSet: Equatable {}
extension ChangeSet: Sendable where Element: Sendable, Element.ID: Sendable {}
extension ChangeSet.Removal: Sendable where Element: Sendable {}
extension ChangeSet.Move: Sendable where Element: Sendable, Element.ID: Sendable {}
extension ChangeSet.Insertion: Sendable where Element: Sendable {}
extension ChangeSet.Update: Sendable where Element: Sendable {}
