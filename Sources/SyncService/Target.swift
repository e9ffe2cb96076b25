import ListChanges
import ListModel
import ListStore

/// A list at a version, written `LIST` or `LIST@REV`.
public struct Target: Equatable, Sendable, CustomStringConvertible {
  public let list: ListName
  public var revision: Revision

  public init(_ list: ListName, _ revision: Revision = .head) {
    (self.list, self.revision) = (list, revision)
  }

  public var description: String { "\(list)@\(revision)" }
}

/// The two versions of a comparison, in one of the forms that people write:
///
///     parks                     the last change
///     parks 5                   from version 5 to the head
///     parks 5 7     parks 5..7  from version 5 to version 7
///     parks@5..7    parks@5..   the same as one word; to the head
///     parks@5 films@7           two lists
public struct Comparison: Equatable, Sendable {
  public let old: Target
  public let new: Target

  public init(from old: Target, to new: Target) { (self.old, self.new) = (old, new) }

  /// Nil when the words have none of the forms.
  ///
  /// - Parameter words: a list or a target, then versions or one more target; 1 to 3.
  public init?(_ words: [String]) {
    guard let first = words.first.flatMap(Self.split), let list = ListName(first.list) else {
      return nil
    }
    let rest = words.dropFirst()
    if let other = rest.first, other.contains("@") {
      guard rest.count == 1, let old = Self.target(first), let word = Self.split(other),
        let new = Self.target(word)
      else { return nil }
      self.init(from: old, to: new)
      return
    }
    let revisions = [first.revision].compactMap { $0 } + rest
    let range: (Revision, Revision)?
    switch revisions.count {
    case 0: range = (.head(back: 1), .head)
    case 1: range = Self.range(revisions[0])
    case 2:
      range = Revision(revisions[0]).flatMap { old in Revision(revisions[1]).map { (old, $0) } }
    default: range = nil
    }
    guard let range else { return nil }
    self.init(from: Target(list, range.0), to: Target(list, range.1))
  }

  public static let forms =
    """
    LIST, LIST REV, LIST REV REV, LIST@REV..REV, or LIST@REV LIST@REV
    """

  /// `5`, `5..` or `5..7`. A tag may hold two dots, but not where both sides are versions.
  private static func range(_ text: String) -> (Revision, Revision)? {
    if let dots = text.firstRange(of: "..") {
      let (old, new) = (String(text[..<dots.lowerBound]), String(text[dots.upperBound...]))
      if let old = Revision(old), let new = new.isEmpty ? .head : Revision(new) {
        return (old, new)
      }
    }
    return Revision(text).map { ($0, .head) }
  }

  private static func split(_ word: String) -> (list: String, revision: String?)? {
    let parts = word.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
    guard parts.count <= 2 else { return nil }
    return (parts[0], parts.count == 2 ? parts[1] : nil)
  }

  private static func target(_ word: (list: String, revision: String?)) -> Target? {
    guard let list = ListName(word.list), let revision = Revision(word.revision ?? "head") else {
      return nil
    }
    return Target(list, revision)
  }
}

extension Target {
  /// Nil when the text is neither `LIST` nor `LIST@REV`.
  public init?(_ text: String) {
    let words = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    guard let list = ListName(String(words[0])),
      let revision = words.count == 2 ? Revision(String(words[1])) : .head
    else { return nil }
    self.init(list, revision)
  }
}

extension SyncService {
  /// The changes from one list at a version to the same or another list at a version.
  ///
  /// - Returns: the delta; without a list's name if there are two lists.
  /// - Throws: as ``delta(of:since:to:)``; `.broken` when a snapshot of two compared lists does not
  ///   have its checksum.
  /// - Complexity: as ``delta(of:since:to:)``; for two lists O(n + m) for their n and m items.
  public func difference(_ comparison: Comparison) async throws -> Delta {
    let (old, new) = (comparison.old, comparison.new)
    if old.list == new.list {
      return try await delta(of: old.list, since: old.revision, to: new.revision)
    }
    return try await store.read { reader in
      func snapshot(_ target: Target) throws -> (ListState, Snapshot) {
        let list = try reader.existingList(target.list)
        let state = try reader.state(of: target.revision, in: list)
        return (state, try reader.checkedSnapshot(at: state, of: list))
      }
      let (from, before) = try snapshot(old)
      let (to, after) = try snapshot(new)
      return Delta(list: nil, from: from, to: to, oldest: nil, changes: before.changes(to: after))
    }
  }

  /// The state that a target names, without reading the list.
  ///
  /// - Throws: `ServiceError` of those grouped under looking up.
  public func state(of target: Target) async throws -> ListState {
    try await store.read { reader in
      try reader.state(of: target.revision, in: reader.existingList(target.list))
    }
  }
}
