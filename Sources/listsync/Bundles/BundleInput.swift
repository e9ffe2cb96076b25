import ListStore
import LocalFiles

/// The bundle of a file, which may be read more than once.
///
/// Standard input and pipes give their bytes only once, and may make their reader wait. So they are
/// read to their end by the first reading, which keeps the bytes for later ones: a transaction
/// never waits for a pipe.
final class BundleInput: Sendable {
  private let path: String
  private let spool: Spool?

  init(_ path: String) {
    self.path = path
    spool = FileStatus(path: path)?.kind == .regular ? nil : Spool()
  }

  /// Whether the first reading must go to the end.
  var isReadOnce: Bool { spool != nil }

  func firstReading() throws -> BundleFile { try BundleFile(ChunkedInput(path, keepingIn: spool)) }

  /// Reads the bundle from its beginning, after the first reading.
  func open() throws -> BundleFile {
    try BundleFile(spool.map { ChunkedInput($0, of: path) } ?? ChunkedInput(path))
  }
}
