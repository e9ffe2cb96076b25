import Gzip
import HTTPTypes
import Hummingbird
import NIOCore
import SyncClient

/// A response as it crosses the network: packed if the server packed it.
struct WireAnswer: Equatable, Sendable {
  var status: Int
  /// Header values by lower-case name.
  var headers: [String: String] = [:]
  var body: [UInt8] = []

  /// The response after a client's HTTP library; nil if the library finds the packing damaged.
  var unpacked: ReplicaResponse? {
    guard headers["content-encoding"] == "gzip" else {
      return ReplicaResponse(status: status, headers: headers, body: body)
    }
    let decompressor = GzipDecompressor()
    decompressor.feed(body)
    var bytes: [UInt8] = []
    do {
      while let piece = try decompressor.next() { bytes += piece }
      try decompressor.finish()
    } catch {
      return nil
    }
    return ReplicaResponse(status: status, headers: headers, body: bytes)
  }
}

extension WireAnswer {
  init(_ response: Response) async throws {
    status = response.status.code
    for field in response.headers { headers[field.name.canonicalName] = field.value }
    let collected = CollectedBytes()
    try await response.body.write(collected)
    body = collected.bytes
  }
}

/// Collects a response's body. Unchecked because only one task writes, and then reads.
private final class CollectedBytes: ResponseBodyWriter, @unchecked Sendable {
  private(set) var bytes: [UInt8] = []

  func write(_ buffer: ByteBuffer) { bytes += buffer.readableBytesView }

  func finish(_ trailingHeaders: HTTPFields?) {}
}
