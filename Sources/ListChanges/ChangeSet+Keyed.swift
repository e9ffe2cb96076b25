/// The id and the content of an element, for comparisons that are given key paths or closures.
public struct Keyed<ID: Hashable, Content: Equatable>: Identifiable, Equatable {
  public let id: ID
  public let content: Content

  @inlinable
  public init(id: ID, content: Content) {
    self.id = id
    self.content = content
  }
}

extension Keyed: Sendable where ID: Sendable, Content: Sendable {}

extension Collection {
  /// Compares this list with a newer one, of any type of element: two elements are the same item
  /// when their ids are, and an item is updated when its content differs.
  ///
  ///     let changes = try old.changes(to: new, id: \.code, content: \.title)
  ///
  /// - Parameters:
  ///   - new: the newer list.
  ///   - id: the id of an element.
  ///   - content: the part of an element to compare; the whole element by default.
  ///   - isCancelled: as in `changes(to:isCancelled:)`.
  /// - Throws: As `changes(to:isCancelled:)`.
  /// - Complexity: The same, and O(n + m) calls of both closures.
  @inlinable
  public func changes<ID: Hashable & Sendable, Content: Equatable>(
    to new: some Collection<Element>, id: (Element) -> ID, content: (Element) -> Content,
    isCancelled: () -> Bool = { false }
  ) throws(ListChangesError<ID>) -> ChangeSet<Keyed<ID, Content>> {
    try keyed(id, content).changes(to: new.keyed(id, content), isCancelled: isCancelled)
  }

  /// The same with ids that are known to be unique in each list.
  @inlinable
  public func changes<ID: Hashable, Content: Equatable>(
    to new: some Collection<Element>, id: (Element) -> ID, content: (Element) -> Content,
    ids: TrustedIDs
  ) -> ChangeSet<Keyed<ID, Content>> {
    keyed(id, content).changes(to: new.keyed(id, content), ids: ids)
  }

  @inlinable
  func keyed<ID, Content>(
    _ id: (Element) -> ID, _ content: (Element) -> Content
  ) -> [Keyed<ID, Content>] {
    map { Keyed(id: id($0), content: content($0)) }
  }
}

// Swift accepts no default for `content`, since not every element is `Equatable`.
extension Collection where Element: Equatable {
  /// Compares with the whole element as its content; see
  /// ``Swift/Collection/changes(to:id:content:isCancelled:)``.
  @inlinable
  public func changes<ID: Hashable & Sendable>(
    to new: some Collection<Element>, id: (Element) -> ID, isCancelled: () -> Bool = { false }
  ) throws(ListChangesError<ID>) -> ChangeSet<Keyed<ID, Element>> {
    try changes(to: new, id: id, content: { $0 }, isCancelled: isCancelled)
  }

  /// The same with ids that are known to be unique in each list.
  @inlinable
  public func changes<ID: Hashable>(
    to new: some Collection<Element>, id: (Element) -> ID, ids: TrustedIDs
  ) -> ChangeSet<Keyed<ID, Element>> {
    changes(to: new, id: id, content: { $0 }, ids: ids)
  }
}

/// An element of a list with repeated ids, identified by its id and its occurrence.
public struct Numbered<Element: Identifiable & Equatable>: Identifiable, Equatable {
  public struct ID: Hashable {
    public let id: Element.ID
    /// 0 for the first element of this id in its list, 1 for the second.
    public let occurrence: Int
  }

  public let id: ID
  public let element: Element
}

extension Numbered: Sendable where Element: Sendable, Element.ID: Sendable {}
extension Numbered.ID: Sendable where Element.ID: Sendable {}

extension Collection where Element: Identifiable & Equatable {
  /// The elements with numbered occurrences, so that no id repeats.
  ///
  /// - Complexity: O(n) hashes.
  public func numberingOccurrences() -> [Numbered<Element>] {
    var counts: [Element.ID: Int] = [:]
    return map { element in
      let occurrence = counts[element.id, default: 0]
      counts[element.id] = occurrence + 1
      return Numbered(id: .init(id: element.id, occurrence: occurrence), element: element)
    }
  }

  /// Compares lists in which ids may repeat: the k-th element of an id in one list is matched with
  /// the k-th of that id in the other, as in DifferenceKit.
  ///
  /// - Complexity: As `changes(to:isCancelled:)`, and O(n + m) hashes.
  public func changesNumberingOccurrences(
    to new: some Collection<Element>
  ) -> ChangeSet<Numbered<Element>> {
    numberingOccurrences().changes(to: new.numberingOccurrences(), ids: .trusted)
  }
}
