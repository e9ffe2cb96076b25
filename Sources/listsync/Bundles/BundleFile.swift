import ListDocuments
import ListModel
import SyncService

/// The events of a bundle in a file, or in standard input for `-`.
struct BundleFile: BundleSource {
  private var input: ChunkedInput
  private var reader: BundleReader
  private var events: ArraySlice<BundleEvent> = []
  private(set) var summary: BundleSummary?

  init(_ path: String) throws { try self.init(ChunkedInput(path)) }

  init(_ input: ChunkedInput) throws {
    reader = BundleReader(limits: try Settings.limits())
    self.input = input
  }

  mutating func header() throws -> BundleHeader {
    guard case .header(let header)? = try next() else {
      preconditionFailure("a bundle starts with its header, or is refused")
    }
    return header
  }

  /// The next event; nil at the end of a bundle that is complete and unchanged.
  ///
  /// - Throws: `BundleError`, `GzipError`, `VerbError.unreadable`.
  mutating func next() throws -> BundleEvent? {
    while events.isEmpty {
      guard let chunk = try input.next() else {
        summary = try reader.finish()
        return nil
      }
      events = try reader.read(chunk)[...]
    }
    return events.popFirst()
  }
}
