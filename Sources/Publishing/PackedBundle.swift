import Gzip
import ListDocuments
import ListModel
import SyncService

/// A compressed bundle in memory.
package struct PackedBundle {
  package let bytes: [UInt8]
  package let summary: BundleSummary

  /// Reads the versions; nil when the bundle, uncompressed, has more bytes than the limit.
  ///
  /// - Parameter onVersion: called with versions that were read.
  /// - Throws: `BundleError`, and as `BundleExport.nextBatch()`.
  package init?(
    _ export: BundleExport, byteLimit: Int, lineByteLimit: Int, onVersion: (Version) -> Void
  ) async throws {
    let compressor = GzipCompressor()
    var (export, byteCount, packed): (BundleExport, Int, [UInt8]) = (export, 0, [])
    var writer = try BundleWriter(export.header, lineByteLimit: lineByteLimit)
    while case let parts = try await export.nextBatch(), !parts.isEmpty {
      for part in parts { try writer.append(part) }
      let lines = writer.takeBytes()
      byteCount += lines.count
      guard byteCount <= byteLimit else { return nil }
      packed += compressor.compress(lines)
      if case .step(let step)? = parts.last { onVersion(step.to.version) }
    }
    summary = try writer.finish()
    bytes = packed + compressor.compress(writer.takeBytes()) + compressor.finish()
  }
}
