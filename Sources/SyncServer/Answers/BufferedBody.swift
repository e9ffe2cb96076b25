import Gzip
import ListDocuments
import NIOCore
import Synchronization

/// The bytes of a body, plain and, after the first request for it, compressed.
///
/// A response holds its body until it is sent. So other responses can share the body, and the bytes
/// in memory are known. The state is guarded by its mutex.
final class BufferedBody: Sendable {
  /// Shorter bodies gain nothing.
  static let leastCompressedByteCount = 1024
  /// Compressing a longer body takes more than some milliseconds.
  static let longByteCount = 1 << 17

  private struct State {
    /// Nil until a request asks for it.
    var compressed: ByteBuffer?
    /// The total that contains the bytes, and this body's share of it; nil if they are not counted.
    var counter: (total: ByteCounter, share: Int)?
    var variant: EntityTag.Variant?
  }

  let bytes: ByteBuffer
  private let state = Mutex(State())

  init(_ bytes: [UInt8]) { self.bytes = ByteBuffer(bytes: bytes) }

  deinit {
    state.withLock { state in
      if let counter = state.counter { counter.total.add(-counter.share) }
    }
  }

  var byteCount: Int { bytes.readableBytes }

  /// Adds the bytes to a total for as long as the body exists.
  func count(on total: ByteCounter) {
    state.withLock { state in
      guard state.counter == nil else { return }
      let share = byteCount + (state.compressed?.readableBytes ?? 0)
      state.counter = (total, share)
      total.add(share)
    }
  }

  var isCounted: Bool { state.withLock { $0.counter != nil } }
  var isCompressed: Bool { state.withLock { $0.compressed != nil } }

  /// A digest of the bytes, which is computed once.
  var variant: EntityTag.Variant {
    if let variant = state.withLock({ $0.variant }) { return variant }
    let variant = EntityTag.Variant(of: bytes.readableBytesView)
    state.withLock { $0.variant = variant }
    return variant
  }

  /// The bytes compressed with gzip, which happens once.
  ///
  /// - Parameter checkCancellation: called before each piece.
  /// - Throws: what `checkCancellation` throws.
  func compressed<Failure: Error>(
    _ checkCancellation: () throws(Failure) -> Void
  ) throws(Failure) -> ByteBuffer {
    if let known = state.withLock({ $0.compressed }) { return known }
    let compressor = GzipCompressor()
    var (bytes, rest): ([UInt8], ByteBuffer) = ([], bytes)
    while let piece = rest.readBytes(length: min(rest.readableBytes, Self.longByteCount)),
      !piece.isEmpty
    {
      try checkCancellation()
      bytes += compressor.compress(piece)
    }
    let result = ByteBuffer(bytes: bytes + compressor.finish())
    return state.withLock { state in
      // Another request may have compressed the same bytes at the same time.
      if let known = state.compressed { return known }
      state.compressed = result
      state.counter?.share += result.readableBytes
      state.counter?.total.add(result.readableBytes)
      return result
    }
  }
}

/// A number of bytes that several tasks change.
final class ByteCounter: Sendable {
  private let total = Atomic<Int>(0)

  var count: Int { total.load(ordering: .relaxed) }

  func add(_ count: Int) { total.add(count, ordering: .relaxed) }
}
