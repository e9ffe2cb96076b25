import ListChanges
import ListModel
import ListStore

/// The two versions of a comparison, in one of the forms that people write:
///
///     parks                     the last change
///     parks 5                   from version 5 to the head
///     parks 5 7     parks 5..7  from version 5 to version 7
///     parks@5..7    parks@5..   the same as one word; to the head
///     parks@5 films@7           two lists
public struct Comparison: Equatable, Sendable {
  public let old: ListRevision
  public let new: ListRevision

  public init(from old: ListRevision, to new: ListRevision) { (self.old, self.new) = (old, new) }

  /// Nil when the words have none of the forms.
  ///
  /// - Parameter words: `LIST` or `LIST@REV`, then versions or one more `LIST@REV`; 1 to 3.
  public init?(_ words: [String]) {
    let rest = words.dropFirst()
    if let other = rest.first, other.contains("@") {
      guard rest.count == 1, let old = ListRevision(words[0]), let new = ListRevision(other) else {
        return nil
      }
      self.init(from: old, to: new)
      return
    }
    let parts = (words.first ?? "").split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count <= 2, let list = ListName(String(parts[0])) else { return nil }
    let revisions = parts.dropFirst().map(String.init) + rest
    let range: (Revision, Revision)?
    switch revisions.count {
    case 0: range = (.head(back: 1), .head)
    case 1: range = Self.range(revisions[0])
    case 2:
      range = Revision(revisions[0]).flatMap { old in Revision(revisions[1]).map { (old, $0) } }
    default: range = nil
    }
    guard let range else { return nil }
    self.init(from: ListRevision(list, range.0), to: ListRevision(list, range.1))
  }

  public static let forms = "LIST, LIST REV, LIST REV REV, LIST@REV..REV, or LIST@REV LIST@REV"

  /// `5`, `5..` or `5..7`. A tag of an older version of this package may hold two dots, but not
  /// where both sides are versions.
  private static func range(_ text: String) -> (Revision, Revision)? {
    if let dots = text.firstRange(of: "..") {
      let (old, new) = (String(text[..<dots.lowerBound]), String(text[dots.upperBound...]))
      if let old = Revision(old), let new = new.isEmpty ? .head : Revision(new) {
        return (old, new)
      }
    }
    return Revision(text).map { ($0, .head) }
  }
}

extension SyncService {
  /// The changes from one list at a version to the same or another list at a version.
  ///
  /// - Returns: the delta; without a list's name if there are two lists.
  /// - Throws: as ``delta(of:since:to:)``; `.broken` when a snapshot of two compared lists does not
  ///   have its root.
  /// - Complexity: as ``delta(of:since:to:)``; for two lists O(n + m) for their n and m items.
  public func difference(_ comparison: Comparison) async throws -> Delta {
    let (old, new) = (comparison.old, comparison.new)
    if old.list == new.list {
      return try await delta(of: old.list, since: old.revision, to: new.revision)
    }
    return try await store.read { reader in
      let (from, before) = try reader.snapshot(of: old)
      let (to, after) = try reader.snapshot(of: new)
      return Delta(list: nil, from: from, to: to, oldest: nil, changes: before.changes(to: after))
    }
  }
}
