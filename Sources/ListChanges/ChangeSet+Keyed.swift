/// An element as a comparison sees it that was told where id and content are: no more than these
/// two.
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
  ///   - id: where the id of an element is.
  ///   - content: what of an element is compared; `\.self` for all of it.
  /// - Throws: as ``Swift/Collection/changes(to:ids:isCancelled:)``.
  /// - Complexity: the same, and O(n + m) calls of both closures.
  @inlinable
  public func changes<ID: Hashable & Sendable, Content: Equatable>(
    to new: some Collection<Element>, id: (Element) -> ID, content: (Element) -> Content,
    ids: IDUniqueness = .checked, isCancelled: () -> Bool = { false }
  ) throws(ListChangesError<ID>) -> ChangeSet<Keyed<ID, Content>> {
    try self.map { Keyed(id: id($0), content: content($0)) }
      .changes(
        to: new.map { Keyed(id: id($0), content: content($0)) }, ids: ids,
        isCancelled: isCancelled)
  }
}

/// An element of a list in which ids repeat, known by its id and which of its kind it is.
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
  /// The elements with their occurrences numbered, so that no id repeats.
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
}

extension Collection where Element: Identifiable & Equatable, Element.ID: Sendable {
  /// Compares lists in which ids may repeat: the k-th element of an id in the one list is the k-th
  /// of that id in the other, as DifferenceKit pairs them.
  ///
  /// - Complexity: O(n + m) hashes, and as ``Swift/Collection/changes(to:ids:isCancelled:)``.
  public func changesNumberingOccurrences(
    to new: some Collection<Element>
  ) -> ChangeSet<Numbered<Element>> {
    do {
      return try numberingOccurrences().changes(to: new.numberingOccurrences(), ids: .trusted)
    } catch {
      preconditionFailure("numbered ids are unique and nothing cancels: \(error)")
    }
  }
}
