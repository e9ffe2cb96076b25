import ListModel
import StoreTestSupport
import SyncService

/// Versions of a list, as another store receives them.
struct VersionSteps: BundleSource {
  private let whole: BundleHeader
  private var parts: ArraySlice<BundleEvent>

  /// - Throws: as ``SyncService/export(_:)``.
  init(of service: SyncService, since: Revision?) async throws {
    var request = ExportRequest(list: .parks)
    request.since = since
    var export = try await service.export(request)
    var parts: [BundleEvent] = []
    while case let batch = try await export.nextBatch(), !batch.isEmpty { parts += batch }
    (whole, self.parts) = (export.header, parts[...])
  }

  mutating func header() -> BundleHeader { whole }
  mutating func next() -> BundleEvent? { parts.popFirst() }
}
