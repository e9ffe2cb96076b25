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
/// `changes(to:isCancelled:)` chooses; two lists have exactly one canonical
/// change set.
public struct ChangeSet<Element: Identifiable & Equatable> {
  public typealias Removal = ElementRemoval<Int, Element>
  public typealias Move = ElementMove<Int, Element.ID>
  public typealias Insertion = ElementInsertion<Int, Element>
  public typealias Update = ElementUpdate<Int, Element>

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
    uncheckedOldCount oldCount: Int, newCount: Int, removed: [Removal] = [], moved: [Move] = [],
    inserted: [Insertion] = [], updated: [Update] = []
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

// A place is an index in a list, or an `ItemPath` in a list of sections. Every `from` is a place in
// the old list, every `to` one in the new list.

/// An item of the old list whose id the new list lacks.
public struct ElementRemoval<Place: Equatable, Element: Equatable>: Equatable {
  public let from: Place
  public let element: Element

  @inlinable
  public init(from: Place, element: Element) {
    self.from = from
    self.element = element
  }
}

/// An item of both lists that is not among those that kept their relative order.
///
/// Two moves are equal when their places are; the old list determines the id.
public struct ElementMove<Place: Equatable, ID>: Equatable {
  public let from: Place
  public let to: Place
  /// The id of the item; nil in a composition of changes that do not contain it. The item is the
  /// one at `from` in the old list.
  public let id: ID?

  @inlinable
  public init(from: Place, to: Place, id: ID?) {
    self.from = from
    self.to = to
    self.id = id
  }

  public static func == (a: Self, b: Self) -> Bool { a.from == b.from && a.to == b.to }
}

/// An item of the new list whose id the old list lacks.
public struct ElementInsertion<Place: Equatable, Element: Equatable>: Equatable {
  public let to: Place
  public let element: Element

  @inlinable
  public init(to: Place, element: Element) {
    self.to = to
    self.element = element
  }
}

/// An item of both lists whose contents are unequal, moved or not.
public struct ElementUpdate<Place: Equatable, Element: Equatable>: Equatable {
  public let from: Place
  public let to: Place
  public let old: Element
  public let new: Element

  @inlinable
  public init(from: Place, to: Place, old: Element, new: Element) {
    self.from = from
    self.to = to
    self.old = old
    self.new = new
  }
}

extension ElementRemoval: Sendable where Place: Sendable, Element: Sendable {}
extension ElementMove: Sendable where Place: Sendable, ID: Sendable {}
extension ElementInsertion: Sendable where Place: Sendable, Element: Sendable {}
extension ElementUpdate: Sendable where Place: Sendable, Element: Sendable {}
