import ListChanges

/// Signs that a tool has rewritten a list between two versions, where somebody meant few edits.
public struct RewritingNotice: Equatable, Sendable {
  /// Nil if the updates look like edits.
  public let updates: UpdateSummary?
  /// Items that were removed and inserted again under another writing of their number: the first
  /// of them, and how many there are. Nil if others were removed or inserted, too.
  public let renumbered: Renumbered?

  /// Ids such as `007`, of which a tool made `7`.
  public struct Renumbered: Equatable, Sendable {
    public let old: ItemID
    public let new: ItemID
    public let count: Int
  }

  /// Nil for changes without such signs.
  ///
  /// - Complexity: as ``UpdateSummary/rewriting(in:)``, and O(removed and inserted items).
  public init?(_ changes: ChangeSet<Item>) {
    updates = UpdateSummary.rewriting(in: changes)
    renumbered = Renumbered(changes)
    if updates == nil, renumbered == nil { return nil }
  }
}

extension RewritingNotice.Renumbered {
  fileprivate init?(_ changes: ChangeSet<Item>) {
    var removedIDs: [String: ItemID] = [:]
    for removal in changes.removed {
      if let number = Self.number(removal.element.id) { removedIDs[number] = removal.element.id }
    }
    let pairs =
      removedIDs.isEmpty
      ? []
      : changes.inserted.compactMap { insertion in
        Self.number(insertion.element.id).flatMap { removedIDs[$0] }.map {
          ($0, insertion.element.id)
        }
      }
    guard let (old, new) = pairs.first,
      pairs.count * 10 >= min(changes.removed.count, changes.inserted.count) * 9
    else { return nil }
    self.init(old: old, new: new, count: pairs.count)
  }

  /// The digits of an id without zeros before them, and without `.0` at the end.
  private static func number(_ id: ItemID) -> String? {
    let text = id.text.hasSuffix(".0") ? id.text.dropLast(2) : id.text[...]
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let digits = text.drop { $0 == "0" }
    return digits.isEmpty ? "0" : String(digits)
  }
}
