/// What one commit made of a file.
public struct FileRevision: Equatable, Sendable {
  public enum Content: Equatable, Sendable {
    /// The file has the content of this object; the object may be that of the revision before, as
    /// when only the file's mode changed.
    case blob(String)
    /// The commit took the file away.
    case removed
    /// The commit put something else in the file's place.
    case symbolicLink
    case submodule
  }

  /// The commit's full id, in hex.
  public let commit: String
  /// `Name <email>`, as the commit says it; nil where it says neither.
  public let author: String?
  /// The committer's date, in seconds since 1970.
  public let committedAtSeconds: Int64
  /// The whole message without the line ends behind it; nil where it is empty.
  public let message: String?
  public let content: Content

  public var blob: String? {
    guard case .blob(let id) = content else { return nil }
    return id
  }
}
