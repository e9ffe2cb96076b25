import Gzip
import SyncClient
import TestSupport

/// An answer as its parts on the wire, each of which can be altered.
struct WireFrame {
  enum Framing { case length, chunks, end }

  var statusLine: String
  var fields: [(name: String, value: String)]
  var body: [UInt8]
  var framing = Framing.length
  /// The byte count of each chunk of a chunked body.
  var chunkByteCount = 100
  var trailer = ""
  var keepsOpen = true

  init(_ answer: ReplicaResponse) {
    statusLine = "HTTP/1.1 \(answer.status) X"
    body = answer.body
    fields = answer.headers.filter { !["content-length", "content-encoding"].contains($0.key) }
      .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  mutating func pack() {
    body = Self.gzip(body)
    fields.append(("Content-Encoding", "gzip"))
  }

  static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    let compressor = GzipCompressor()
    return compressor.compress(bytes) + compressor.finish()
  }

  /// All bytes; `headEnd` is the first index of the body.
  var bytes: (all: [UInt8], headEnd: Int) {
    var lines = [statusLine] + fields.map { "\($0.name): \($0.value)" }
    if !keepsOpen { lines.append("Connection: close") }
    switch framing {
    case .length: lines.append("Content-Length: \(body.count)")
    case .chunks: lines.append("Transfer-Encoding: chunked")
    case .end: break
    }
    let head = [UInt8]((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    return (head + (framing == .chunks ? chunked : body), head.count)
  }

  private var chunked: [UInt8] {
    var result: [UInt8] = []
    for start in stride(from: 0, to: body.count, by: chunkByteCount) {
      let part = body[start..<min(start + chunkByteCount, body.count)]
      result += "\(String(part.count, radix: 16))\r\n".utf8
      result += part
      result += "\r\n".utf8
    }
    return result + "0\r\n\(trailer)\r\n".utf8
  }

  var steps: [LoopbackServer.Step] {
    [.send(bytes.all)] + (keepsOpen && framing != .end ? [.keepOpen] : [])
  }
}
