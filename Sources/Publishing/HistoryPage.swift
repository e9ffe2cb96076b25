import Foundation
import ListDocuments
import ListModel
import SyncService
import WebPage

/// The history of a list as a page in one file, which a browser opens without a server.
package struct HistoryPage {
  /// The highest number of bytes of a bundle that opens in a few seconds.
  package static let standardByteLimit = 64_000_000

  /// The bytes of the page, in parts.
  package let parts: [[UInt8]]
  /// That of the bundle in it.
  package let summary: BundleSummary

  package var byteCount: Int { parts.reduce(0) { $0 + $1.count } }

  /// Reads the versions; nil when their bundle, uncompressed, has more bytes than the limit.
  ///
  /// - Parameter onStep: called with versions that were read.
  /// - Throws: `BundleError`; as `SyncService.export(_:)` and `BundleExport.nextBatch()`.
  package init?(
    _ request: ExportRequest, _ service: SyncService, byteLimit: Int = standardByteLimit,
    lineByteLimit: Int, onStep: (BundleStep) -> Void = { _ in }
  ) async throws {
    let export = try await service.export(request)
    let page = ReportPage(facts: try await Self.facts(of: export.header, service))
    let bundle = try await PackedBundle(
      export, byteLimit: byteLimit, lineByteLimit: lineByteLimit, onStep: onStep)
    guard let bundle else { return nil }
    parts = [page.beginning, Array(Data(bundle.bytes).base64EncodedData()), page.end]
    summary = bundle.summary
  }

  /// What the page shows besides the versions.
  private static func facts(
    of header: BundleHeader, _ service: SyncService
  ) async throws -> [UInt8] {
    let title = try await service.titlePath(of: header.list)
    let versions = header.startState.version...header.target.version
    let tags = try await service.tags(of: header.list)
      .filter { versions.contains($0.record.version) }
    let prunings = try await service.prunes(of: header.list)
    return JSONWriter.object { writer in
      writer.member("title", title?.description)
      writer.objects("tags", tags) { $0.members(of: $1) }
      writer.objects("prunings", prunings) { $0.members(of: $1) }
    }
  }
}
