import Foundation

/// The place that a path leads to, resolved once as the system does: without links, dots and double
/// slashes.
///
/// So the file that is examined is the file that is opened. SQLite resolves names by other rules,
/// which do not affect a resolved path: it drops a trailing slash, removes `a/..` even if there is
/// no `a`, and opens no file for `:memory:`.
package struct FilePlace: Sendable {
  /// Thrown when no file can be at a path.
  package struct Unreachable: Error {
    package let reason: String
    /// Whether a folder of the path is missing.
    package let isMissing: Bool
  }

  /// As many links as Linux follows.
  private static let highestLinkCount = 40

  /// Absolute and without links.
  package let path: String
  /// Nil if there is no file yet; its folder exists.
  package let status: FileStatus?
  /// Whether the path named a link.
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
        // A link in /proc is an open file of a process, like `/dev/stdout`, and leads to no name.
        // It is written into, and never replaced.
        status =
          folder.hasPrefix("/proc/")
          ? stat(path: path).map { FileStatus($0, kind: .pipe) } : FileStatus(found)
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

  /// Splits bytes: a slash and a combining mark behind it are one `Character`.
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

  /// Whether the system allows a name of this file's name and an ending.
  package func hasRoom(for ending: String) -> Bool {
    access(path + ending, F_OK) == 0 || errno != ENAMETOOLONG
  }

  /// Whether both lead to the same file, perhaps by two names.
  package func isSame(as other: FilePlace) -> Bool {
    if path == other.path { return true }
    return status != nil && status?.identity == other.status?.identity
  }
}

extension FilePlace {
  /// The place of a file to write.
  ///
  /// - Throws: `FileError.cannotOpen` for a folder, and if no file can be at the path.
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
