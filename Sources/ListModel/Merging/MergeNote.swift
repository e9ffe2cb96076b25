/// The two lines at the end of a version's message that say that the version is a merge. The chain
/// covers the message, so they are as certain as the version.
///
///     Spring update
///
///     Merge-Base: 5-3f9a1c2b7d40e1f0a2b4c6d8e0f11223
///     Merge-Changes: 8c1d7e6f5a4b3c2d1e0f9a8b7c6d5e4f
///
/// The first names the version that the author began with, the other identifies the author's own
/// changes to it. The version before the merge is the other side.
public struct MergeNote: Hashable, Sendable {
  public let base: Cursor
  /// 32 lower-case hex digits.
  public let changes: String

  private static let baseName = "Merge-Base: "
  private static let changesName = "Merge-Changes: "

  public init(base: Cursor, changes: String) { (self.base, self.changes) = (base, changes) }

  /// Nil when the text does not end with these two lines.
  ///
  /// - Parameter message: the message of a version.
  public init?(message: String) {
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false).suffix(2)
    guard let first = lines.first, let last = lines.last, lines.count == 2,
      first.hasPrefix(Self.baseName), last.hasPrefix(Self.changesName),
      let base = Cursor(String(first.dropFirst(Self.baseName.count))),
      case let changes = last.dropFirst(Self.changesName.count),
      changes.utf8.count == Cursor.digitCount,
      changes.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
    else { return nil }
    self.init(base: base, changes: String(changes))
  }

  /// The message of the merge.
  ///
  /// - Parameter text: what the author says about it; nil for a standard sentence.
  public func message(_ text: String?) -> String {
    """
    \(text ?? "Merge changes to version \(base.version)")

    \(Self.baseName)\(base)
    \(Self.changesName)\(changes)
    """
  }
}

extension CommitNote {
  /// Non-nil for a version that merged two sides.
  public var merge: MergeNote? { message.flatMap(MergeNote.init(message:)) }

  /// The message without the lines that say that the version is a merge.
  var withoutMerge: String? {
    guard let message, merge != nil else { return message }
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.dropLast(3).joined(separator: "\n")
  }
}
