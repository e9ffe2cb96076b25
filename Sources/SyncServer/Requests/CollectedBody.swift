import Gzip
import ListDocuments
import NIOCore
import Synchronization

/// The received bytes of a body, decoded, and never more than allowed.
struct CollectedBody {
  /// Only longer bodies are counted. A short body always has room, so slow senders cannot lock
  /// writers out.
  static let shortByteCount = 1 << 16

  private let byteLimit: Int
  /// Nil for a plain body.
  private let decompressor: GzipDecompressor?
  private let share: BodyMemory.Share
  private var bytes: [UInt8] = []
  /// How many bytes came, before decoding.
  private var sentByteCount = 0

  init(byteLimit: Int, isCompressed: Bool, share: BodyMemory.Share) {
    self.byteLimit = byteLimit
    self.share = share
    decompressor = isCompressed ? GzipDecompressor(byteLimit: byteLimit) : nil
  }

  /// - Throws: `Problem` of type `too-large` or `busy`, `GzipError`.
  mutating func add(_ chunk: ByteBufferView) throws {
    sentByteCount += chunk.count
    try Self.check(sentByteCount, byteLimit)
    guard let decompressor else { return try append(chunk) }
    decompressor.feed(Array(chunk))
    while let piece = try decompressor.next() { try append(piece) }
  }

  /// - Throws: `Problem` of type `invalid-request` if the body ends early, `GzipError`.
  consuming func finish(length: Int?) throws -> [UInt8] {
    guard length ?? sentByteCount == sentByteCount else { throw Problem.cutOff }
    try decompressor?.finish()
    return bytes
  }

  /// - Throws: `Problem` of type `too-large` if a body may not have so many bytes.
  static func check(_ byteCount: Int, _ byteLimit: Int) throws(Problem) {
    guard byteCount <= byteLimit else {
      throw Problem(
        kind: .tooLarge, detail: "the body has more than \(byteLimit) bytes",
        members: Problem.Members(limit: ("body-bytes", byteLimit)))
    }
  }

  private mutating func append(_ piece: some Collection<UInt8>) throws(Problem) {
    bytes += piece
    if bytes.count > Self.shortByteCount { try share.grow(to: bytes.count) }
  }
}

/// The bytes of long bodies in memory.
///
/// Bytes are counted as they come. So a client that announces a long body and sends little of it
/// keeps no other client out.
final class BodyMemory: Sendable {
  private let byteLimit: Int
  private let total = Mutex(0)

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  var byteCount: Int { total.withLock { $0 } }

  /// The bytes of one request.
  final class Share: Sendable {
    private let memory: BodyMemory
    private let own = Mutex(0)

    init(of memory: BodyMemory) { self.memory = memory }

    /// - Throws: `Problem` of type `busy` if the bytes of all requests would exceed the limit.
    func grow(to byteCount: Int) throws(Problem) {
      let hasRoom = own.withLock { own in
        memory.total.withLock { total in
          guard total + byteCount - own <= memory.byteLimit else { return false }
          total += byteCount - own
          own = byteCount
          return true
        }
      }
      guard hasRoom else { throw .busy("too many long bodies are being read already; try again") }
    }

    func release() {
      own.withLock { own in
        memory.total.withLock { $0 -= own }
        own = 0
      }
    }
  }
}
