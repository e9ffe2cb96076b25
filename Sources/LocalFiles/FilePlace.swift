import Foundation

/// The file that a path leads to, found once as the system resolves names: links followed, dots and
/// doubled slashes gone.
///
/// The file that is examined under a name is then the file that is opened under it. Other rules for
/// names do not apply to a resolved path: SQLite drops a trailing slash, takes `a/..` away whether
/// or not there is an `a`, and opens no file at all for `:memory:`.
package struct FilePlace: Sendable {
  /// Thrown when a path leads to no place for a file.
  package struct Unreachable: Error {
    package let reason: String
    /// Whether a folder on the way is not there.
    package let isMissing: Bool
  }

  /// As many links as Linux follows.
  private static let highestLinkCount = 40

  /// Absolute and without links.
  package let path: String
  /// Nil where there is no file yet; its folder is there.
  package let status: FileStatus?
  /// Whether the name was that of a link.
  package let isBehindLink: Bool

  package init(_ name: String) throws(Unreachable) {
    var name = name
    for linkCount in 0..<Self.highestLinkCount {
      let (folder, last) = try Self.parts(of: name)
      let path = folder == "/" ? "/\(last)" : "\(folder)/\(last)"
      var found = stat()
      if lstat(path, &found) != 0 {
        guard errno == ENOENT else { throw Unreachable(errno) }
        (self.path, status, isBehindLink) = (path, nil, linkCount > 0)
        return
      }
      guard found.st_mode & S_IFMT == S_IFLNK, !folder.hasPrefix("/proc/") else {
        (self.path, isBehindLink) = (path, linkCount > 0)
        // A link there is an open file of a process, as `/dev/stdout` is, and leads to no name.
        status = folder.hasPrefix("/proc/") ? .stream(path) : FileStatus(found)
        return
      }
      name = try Self.target(ofLinkAt: path, in: folder)
    }
    throw Unreachable(ELOOP)
  }

  /// The folder without links, and the file's own name.
  private static func parts(of name: String) throws(Unreachable) -> (folder: String, last: String) {
    if name.isEmpty { throw Unreachable(reason: "the name is empty", isMissing: false) }
    if name.utf8.contains(0) { throw Unreachable(EINVAL) }
    let (folder, last) = split(name)
    if ["", ".", ".."].contains(last) {
      throw Unreachable(reason: "it names a folder", isMissing: false)
    }
    guard let resolved = realpath(folder.isEmpty ? "." : folder, nil) else {
      throw Unreachable(errno)
    }
    defer { free(resolved) }
    return (String(cString: resolved), last)
  }

  /// By bytes: a slash before a combining mark is one character with it.
  private static func split(_ path: String) -> (folder: String, last: String) {
    let bytes = path.utf8
    let start = bytes.lastIndex(of: UInt8(ascii: "/")).map(bytes.index(after:)) ?? bytes.startIndex
    return (String(path[..<start]), String(path[start...]))
  }

  private static func target(
    ofLinkAt path: String, in folder: String
  ) throws(Unreachable) -> String {
    guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
      throw Unreachable(ENOENT)
    }
    return target.hasPrefix("/") ? target : "\(folder)/\(target)"
  }

  /// The folder that the file is in.
  package var folder: String {
    let folder = Self.split(path).folder
    return folder == "/" ? folder : String(folder.dropLast())
  }

  /// The file's own name.
  package var name: String { Self.split(path).last }

  /// Whether both lead to one file, be it by two names.
  package func isSame(as other: FilePlace) -> Bool {
    if path == other.path { return true }
    return status != nil && status?.identity == other.status?.identity
  }
}

extension FilePlace {
  /// The place of a file that is to be written.
  ///
  /// - Throws: `FileError.cannotOpen` for a folder, and where the path leads nowhere.
  package init(writing path: String) throws(FileError) {
    do throws(Unreachable) {
      try self.init(path)
    } catch {
      throw .cannotOpen(path: path, reason: error.reason)
    }
    if status?.kind == .folder { throw .cannotOpen(path: path, reason: "it is a folder") }
  }
}

extension FilePlace.Unreachable {
  fileprivate init(_ code: Int32) {
    self.init(reason: String(cString: strerror(code)), isMissing: code == ENOENT)
  }
}
