import ListModel
import StoreTestSupport
import SyncService

/// Versions of a list as another store would be given them.
struct VersionSteps: VersionSource {
  private let whole: VersionRange
  private var parts: ArraySlice<VersionRange.Part>

  /// - Throws: as ``SyncService/export(_:)``.
  init(of service: SyncService, since: Revision?) async throws {
    var request = ExportRequest(list: .parks)
    request.since = since
    var export = try await service.export(request)
    var parts: [VersionRange.Part] = []
    while case let batch = try await export.nextBatch(), !batch.isEmpty { parts += batch }
    (whole, self.parts) = (export.range, parts[...])
  }

  mutating func range() -> VersionRange { whole }
  mutating func next() -> VersionRange.Part? { parts.popFirst() }
}
