import Foundation

/// A file without a name, which is deleted with its handle.
package enum ScratchFile {
  /// - Throws: `FileError.cannotOpen`.
  package static func make() throws(FileError) -> FileHandle {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("listsync-XXXXXX").path
    var name = Array(path.utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else {
      throw .cannotOpen(path: path, reason: String(cString: strerror(errno)))
    }
    unlink(name)
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }
}
