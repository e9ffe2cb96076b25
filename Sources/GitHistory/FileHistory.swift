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

/// The parsed output of `git log` for a file.
///
///     history = *(commit *entry)
///     commit  = id NUL seconds NUL name NUL email NUL message NUL
///     entry   = [LF] ":" mode SP mode SP blob SP blob SP status NUL path NUL
///
/// A message may contain any byte but NUL, so fields are counted, not searched for.
struct FileHistory {
  static let format = "%H%x00%ct%x00%an%x00%ae%x00%B"

  private(set) var revisions: [FileRevision] = []
  /// Whether commits touched paths below the file's path, which then is or was a folder.
  private(set) var hasOthers = false

  init(of path: String, log: [UInt8]) throws(GitError) {
    var fields = log.split(separator: 0, omittingEmptySubsequences: false)[...]
    // Nothing may follow the last NUL.
    guard fields.popLast()?.isEmpty == true else { throw .unexpected("a log that is cut off") }
    while !fields.isEmpty {
      guard fields.count >= 5 else { throw .unexpected("a log that is cut off") }
      let texts = fields.prefix(5).map { String(decoding: $0, as: UTF8.self) }
      fields = fields.dropFirst(5)
      let email = texts[3].isEmpty ? "" : "<\(texts[3])>"
      let author = [texts[2], email].filter { !$0.isEmpty }.joined(separator: " ")
      let messageEnd = texts[4].utf8.lastIndex { $0 != UInt8(ascii: "\n") }
      while let entry = try FileEntry(&fields) {
        guard entry.path.elementsEqual(path.utf8) else {
          hasOthers = true
          continue
        }
        revisions.append(
          FileRevision(
            commit: texts[0], author: author.isEmpty ? nil : author,
            committedAtSeconds: Int64(texts[1]),
            message: messageEnd.map { String(texts[4][...$0]) }, content: try entry.content()))
      }
    }
  }
}

private typealias Fields = ArraySlice<ArraySlice<UInt8>>

private struct FileEntry {
  let path: ArraySlice<UInt8>
  private let mode: String
  private let blob: String

  /// Nil if no entry follows.
  init?(_ fields: inout Fields) throws(GitError) {
    guard var first = fields.first else { return nil }
    if first.first == UInt8(ascii: "\n") { first = first.dropFirst() }
    guard first.first == UInt8(ascii: ":") else { return nil }
    let words = first.split(separator: UInt8(ascii: " ")).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard words.count == 5, fields.count >= 2 else {
      throw .unexpected("the entry '\(String(decoding: first, as: UTF8.self))'")
    }
    (mode, blob) = (words[1], words[3])
    path = fields[fields.startIndex + 1]
    fields = fields.dropFirst(2)
  }

  /// Decided by the file's mode, as in a git tree.
  func content() throws(GitError) -> FileRevision.Content {
    switch mode {
    case "000000": .removed
    case "100644", "100755", "100664": .blob(blob)
    case "120000": .symbolicLink
    case "160000": .submodule
    default: throw .unexpected("the mode \(mode)")
    }
  }
}
