import Foundation

/// A file that is written under a temporary name, and takes its place when it is complete: other
/// programs see the whole new file, or the old one.
///
/// Replaces only regular files. A symbolic link stays, and the file that it leads to is replaced.
/// The new file has the owner and the permissions of the old one.
package struct FileReplacement: Sendable {
  private let path: String
  private let replaces: Bool
  private let file: PartialFile

  /// - Parameter replaces: whether an existing file may be replaced.
  /// - Throws: `FileError.alreadyThere`, `.logIsThere` and `.cannotOpen`.
  package init(path: String, replaces: Bool) throws(FileError) {
    self.path = path
    self.replaces = replaces
    let place = try Self.place(path)
    if place.status != nil, !replaces { throw .alreadyThere(path: path) }
    file = try PartialFile(for: place)
  }

  /// The path of the empty file to write.
  package var temporaryPath: String { file.path }

  /// The file, open to be written.
  package var descriptor: Int32 { file.descriptor }

  private static func place(_ path: String) throws(FileError) -> FilePlace {
    let place = try FilePlace(writing: path)
    if let kind = place.status?.kind, kind != .regular {
      throw .cannotOpen(path: path, reason: "it is not a regular file")
    }
    for ending in ["-wal", "-journal"] where access(place.path + ending, F_OK) == 0 {
      throw .logIsThere(path: path, log: path + ending)
    }
    return place
  }

  /// Moves the file to its place; all is on the disk when this returns.
  ///
  /// - Precondition: The file contains everything that its logs held.
  /// - Throws: `FileError`; the file then keeps its temporary name.
  package func finish() throws(FileError) {
    let place = try Self.place(path)
    if let old = place.status {
      // Only root may change the owner, which also removes permissions.
      _ = fchown(file.descriptor, old.user, old.group)
      fchmod(file.descriptor, old.permissions)
    }
    guard fsync(file.descriptor) == 0 else { throw inputOutput() }
    if replaces {
      guard rename(file.path, place.path) == 0 else { throw cannotOpen() }
    } else {
      try moveWithoutReplacing(to: place.path)
    }
    file.removeLogs()
    try syncFolder(place.folder)
  }

  private func moveWithoutReplacing(to place: String) throws(FileError) {
    if link(file.path, place) == 0 {
      unlink(file.path)
    } else if errno == EEXIST || access(place, F_OK) == 0 {
      throw .alreadyThere(path: path)
    } else if rename(file.path, place) != 0 {
      // Some file systems have no links, so `rename` is tried.
      throw cannotOpen()
    }
  }

  /// Deletes what was written.
  package func discard() { file.remove() }

  private func syncFolder(_ folder: String) throws(FileError) {
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      // A folder without read permission cannot be synced alone.
      if errno == EACCES { return sync() }
      throw inputOutput()
    }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw inputOutput() }
  }

  private var systemReason: String { String(cString: strerror(errno)) }

  private func cannotOpen() -> FileError { .cannotOpen(path: path, reason: systemReason) }

  private func inputOutput() -> FileError { .inputOutput(path: path, reason: systemReason) }
}
