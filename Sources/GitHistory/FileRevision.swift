/// A file after one commit.
public struct FileRevision: Equatable, Sendable {
  public enum Content: Equatable, Sendable {
    /// The object with the file's content. It may be that of the revision before, for example if
    /// only the file's mode changed.
    case blob(String)
    /// The commit removed the file.
    case removed
    /// The commit replaced the file by something else.
    case symbolicLink
    case submodule
  }

  /// The commit's full id, in hex.
  public let commit: String
  /// `Name <email>`, as in the commit; nil if it has neither.
  public let author: String?
  /// The committer's date, in seconds since 1970; nil if git cannot read it, as in some commits of
  /// converted histories.
  public let committedAtSeconds: Int64?
  /// The whole message without trailing line ends; nil if it is empty.
  public let message: String?
  public let content: Content

  public var blob: String? {
    guard case .blob(let id) = content else { return nil }
    return id
  }
}
