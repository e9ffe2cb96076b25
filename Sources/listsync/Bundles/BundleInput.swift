import ListStore
import LocalFiles
import Synchronization

/// The bundle of a file, which may be read more than once.
///
/// Standard input and pipes give their bytes only once, and may make their reader wait. So the
/// first reading, which goes to their end, keeps the bytes for later ones: a transaction never
/// waits for a pipe.
final class BundleInput: Sendable {
  private let path: String
  private let spool: Spool?
  private let wasOpened = Mutex(false)

  init(_ path: String) {
    self.path = path
    let isFile = path != "-" && FileStatus(path: path)?.kind == .regular
    spool = isFile ? nil : Spool()
  }

  /// Reads the bundle from its beginning. The first reading must go to the end.
  func open() throws -> BundleFile {
    let isFirst = wasOpened.withLock { wasOpened in
      defer { wasOpened = true }
      return !wasOpened
    }
    if let spool, !isFirst { return try BundleFile(ChunkedInput(spool, of: path)) }
    return try BundleFile(ChunkedInput(path, keepingIn: spool))
  }
}
