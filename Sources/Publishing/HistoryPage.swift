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
  /// The summary of the bundle in the page.
  package let summary: BundleSummary

  package var byteCount: Int { parts.reduce(0) { $0 + $1.count } }

  /// Reads the versions; nil when their bundle, uncompressed, has more bytes than the limit.
  ///
  /// - Parameter onVersion: called with versions that were read.
  /// - Throws: `BundleError`; as `SyncService.export(_:)` and `BundleExport.nextBatch()`.
  package init?(
    _ request: ExportRequest, _ service: SyncService, byteLimit: Int = standardByteLimit,
    lineByteLimit: Int, onVersion: (Version) -> Void = { _ in }
  ) async throws {
    let export = try await service.export(request)
    let page = ReportPage(facts: try await Self.facts(of: export.header, service))
    let bundle = try await PackedBundle(
      export, byteLimit: byteLimit, lineByteLimit: lineByteLimit, onVersion: onVersion)
    guard let bundle else { return nil }
    parts = [page.beginning, Array(Data(bundle.bytes).base64EncodedData()), page.end]
    summary = bundle.summary
  }

  /// Reads as many of the newest versions as the limit allows; nil if the list alone exceeds it.
  ///
  /// - Throws: as ``init(_:_:byteLimit:lineByteLimit:onVersion:)``.
  static func ofNewestVersions(
    of list: ListName, _ service: SyncService, byteLimit: Int
  ) async throws -> HistoryPage? {
    var request = ExportRequest(list: list)
    request.isWhole = true
    let head = try await service.state(of: ListRevision(list, .head)).version
    var start = try await service.oldest(of: list)
    while true {
      var last = start
      let page = try await HistoryPage(
        request, service, byteLimit: byteLimit, lineByteLimit: .max
      ) { last = $0 }
      if page != nil || start >= head { return page }
      // The newest versions may be longer than those that were read.
      let count = (last.number - start.number) * 3 / 4
      start = Version(head.number - (count > 0 ? count : (head.number - start.number) / 2))
      request.since = .version(start)
    }
  }

  /// The data that the page shows besides the versions.
  private static func facts(
    of header: BundleHeader, _ service: SyncService
  ) async throws -> [UInt8] {
    let title = try await service.titlePath(of: header.list)
    let oldest = try await service.oldest(of: header.list)
    let versions = header.startState.version...header.target.version
    let tags = try await service.tags(of: header.list)
      .filter { versions.contains($0.record.version) }
    let prunings = try await service.prunes(of: header.list)
    return JSONWriter.object { writer in
      writer.member("title", title?.description)
      writer.member("oldest", oldest.number)
      writer.objects("tags", tags) { $0.members(of: $1) }
      writer.objects("prunings", prunings) { $0.members(of: $1) }
    }
  }
}
