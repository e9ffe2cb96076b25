/// What `git log` says about a file, taken apart.
///
///     history = *(commit *entry)
///     commit  = id NUL seconds NUL name NUL email NUL message NUL
///     entry   = [LF] ":" mode SP mode SP blob SP blob SP status NUL path NUL
///
/// A message may hold any byte but NUL, so that the fields are counted, never searched for.
struct FileHistory {
  static let format = "%H%x00%ct%x00%an%x00%ae%x00%B"

  private(set) var revisions: [FileRevision] = []
  /// Whether commits touched paths below this one: it is, or was, a folder.
  private(set) var hasOthers = false

  init(of path: String, log: [UInt8]) throws(GitError) {
    var fields = log.split(separator: 0, omittingEmptySubsequences: false)[...]
    // Nothing follows the last NUL.
    guard fields.popLast()?.isEmpty == true else { throw .unexpected("a log that is cut off") }
    while !fields.isEmpty {
      let commit = try CommitFields(&fields)
      while let entry = try FileEntry(&fields) {
        guard entry.path.elementsEqual(path.utf8) else {
          hasOthers = true
          continue
        }
        revisions.append(try commit.revision(entry.content()))
      }
    }
  }
}

private typealias Fields = ArraySlice<ArraySlice<UInt8>>

private struct CommitFields {
  let id: String
  let seconds: Int64
  let name: String
  let email: String
  let message: String

  init(_ fields: inout Fields) throws(GitError) {
    guard fields.count >= 5 else { throw .unexpected("a log that is cut off") }
    let texts = fields.prefix(5).map { String(decoding: $0, as: UTF8.self) }
    fields = fields.dropFirst(5)
    guard let seconds = Int64(texts[1]) else { throw .unexpected("the date '\(texts[1])'") }
    (id, self.seconds, name, email, message) = (texts[0], seconds, texts[2], texts[3], texts[4])
  }

  func revision(_ content: FileRevision.Content) -> FileRevision {
    let author = [name, email.isEmpty ? "" : "<\(email)>"].filter { !$0.isEmpty }
      .joined(separator: " ")
    let end = message.utf8.lastIndex { $0 != UInt8(ascii: "\n") }
    return FileRevision(
      commit: id, author: author.isEmpty ? nil : author, committedAtSeconds: seconds,
      message: end.map { String(message[...$0]) }, content: content)
  }
}

private struct FileEntry {
  let path: ArraySlice<UInt8>
  private let mode: String
  private let blob: String

  /// Nil where the next field is no entry, or there is none.
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

  /// By the file's mode: the types of a tree's entries.
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
