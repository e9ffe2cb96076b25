import ListDocuments
import ListModel
import StoreTestSupport
import SyncService

extension TestStore {
  /// Takes the versions of a bundle, as another store would that fetched it.
  func apply(_ bundle: [UInt8]) async throws {
    _ = try await service.apply { try HeldBundle(bundle) }
  }
}

/// A bundle whose bytes are all there.
private struct HeldBundle: VersionSource {
  private let header: BundleHeader
  private var events: ArraySlice<BundleEvent>

  init(_ bytes: [UInt8]) throws {
    var reader = BundleReader()
    var events = try reader.read(bytes)[...]
    _ = try reader.finish()
    guard case .header(let header)? = events.popFirst() else {
      preconditionFailure("a bundle that was read whole has a header")
    }
    self.header = header
    self.events = events
  }

  func range() -> VersionRange {
    VersionRange(
      list: header.list, idRule: header.idRule?.text, start: header.start, target: header.target)
  }

  mutating func next() -> VersionRange.Part? {
    switch events.popFirst() {
    case .item(let item): .item(item)
    case .step(let step): .step(step.record, step.changes)
    case .header, nil: nil
    }
  }
}
