/// A section of a list with its own header, such as one state of a list of parks.
///
/// The header holds the section's content except its items; its id is the section's id.
public struct ListSection<Header: Identifiable & Equatable, Item: Identifiable & Equatable> {
  public var header: Header
  public var items: [Item]

  public init(_ header: Header, items: [Item]) {
    self.header = header
    self.items = items
  }
}

/// The place of an item in a list of sections, ordered by section first.
public struct ItemPath: Hashable, Sendable {
  public var section: Int
  /// The index within the section.
  public var item: Int

  public init(section: Int, item: Int) {
    self.section = section
    self.item = item
  }
}

extension ItemPath: Comparable {
  public static func < (a: ItemPath, b: ItemPath) -> Bool {
    (a.section, a.item) < (b.section, b.item)
  }
}

extension ItemPath: CustomStringConvertible {
  public var description: String { "\(section).\(item)" }
}

extension ListSection: Equatable {}
extension ListSection: Hashable where Header: Hashable, Item: Hashable {}
extension ListSection: Sendable where Header: Sendable, Item: Sendable {}
