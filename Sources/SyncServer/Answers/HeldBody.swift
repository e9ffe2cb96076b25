import Gzip
import ListDocuments
import NIOCore
import Synchronization

/// The bytes of a body, and their gzip coding after the first request for it.
///
/// A response holds its body until it is sent. So other responses can share the body, and the bytes
/// in memory are known.
final class HeldBody: Sendable {
  /// Shorter bodies gain nothing.
  static let leastCodedByteCount = 1024
  /// Coding a longer body takes more than some milliseconds.
  static let longByteCount = 1 << 17

  private struct State {
    /// Nil until the coding is needed.
    var coded: ByteBuffer?
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
      let share = byteCount + (state.coded?.readableBytes ?? 0)
      state.counter = (total, share)
      total.add(share)
    }
  }

  var isCounted: Bool { state.withLock { $0.counter != nil } }
  var isCoded: Bool { state.withLock { $0.coded != nil } }

  /// A digest of the bytes, which is computed once.
  var variant: EntityTag.Variant {
    if let variant = state.withLock({ $0.variant }) { return variant }
    let variant = EntityTag.Variant(of: bytes.readableBytesView)
    state.withLock { $0.variant = variant }
    return variant
  }

  func gzip() -> ByteBuffer {
    if let held = state.withLock({ $0.coded }) { return held }
    let compressor = GzipCompressor()
    return keepCoded(compressor.compress(Array(bytes.readableBytesView)) + compressor.finish())
  }

  /// Codes the body piece by piece.
  ///
  /// - Parameter checkCancellation: called before each piece.
  /// - Throws: what `checkCancellation` throws.
  func code(_ checkCancellation: () throws -> Void) throws {
    if isCoded { return }
    let compressor = GzipCompressor()
    var (coded, rest): ([UInt8], ByteBuffer) = ([], bytes)
    while let piece = rest.readBytes(length: min(rest.readableBytes, Self.longByteCount)),
      !piece.isEmpty
    {
      try checkCancellation()
      coded += compressor.compress(piece)
    }
    _ = keepCoded(coded + compressor.finish())
  }

  private func keepCoded(_ coded: [UInt8]) -> ByteBuffer {
    let result = ByteBuffer(bytes: coded)
    return state.withLock { state in
      // Another request may have coded the same bytes meanwhile.
      if let held = state.coded { return held }
      state.coded = result
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
