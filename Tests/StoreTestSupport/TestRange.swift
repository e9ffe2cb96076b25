import ListModel
import SyncService

/// A range of versions as values.
package struct TestRange: Sendable {
  package let range: BundleHeader
  package var parts: [BundleEvent]

  package init(range: BundleHeader, parts: [BundleEvent]) {
    self.range = range
    self.parts = parts
  }

  /// Reads a range batch by batch.
  package init(_ request: ExportRequest, from service: SyncService) async throws {
    var export = try await service.export(request)
    range = export.header
    parts = []
    while case let batch = try await export.nextBatch(), !batch.isEmpty { parts += batch }
  }

  package struct CutOff: Error {}

  package struct Source: BundleSource {
    private let whole: TestRange
    private let isWhole: Bool
    private var index = 0

    package init(_ whole: TestRange, isWhole: Bool = true) {
      self.whole = whole
      self.isWhole = isWhole
    }

    package mutating func header() -> BundleHeader { whole.range }

    package mutating func next() throws -> BundleEvent? {
      guard index < whole.parts.count else {
        if isWhole { return nil }
        throw CutOff()
      }
      defer { index += 1 }
      return whole.parts[index]
    }
  }
}
