import ListDocuments
import ListModel
import StoreTestSupport
import SyncService

extension TestStore {
  /// Applies the versions of a bundle, like another store that downloaded it.
  func apply(_ bundle: [UInt8]) async throws {
    _ = try await service.apply { try HeldBundle(bundle) }
  }
}

/// A bundle whose bytes are all in memory.
private struct HeldBundle: BundleSource {
  private var events: ArraySlice<BundleEvent>

  init(_ bytes: [UInt8]) throws {
    var reader = BundleReader()
    events = try reader.read(bytes)[...]
    _ = try reader.finish()
  }

  mutating func header() -> BundleHeader {
    guard case .header(let header)? = events.popFirst() else {
      preconditionFailure("a bundle that was read whole has a header")
    }
    return header
  }

  mutating func next() -> BundleEvent? { events.popFirst() }
}
