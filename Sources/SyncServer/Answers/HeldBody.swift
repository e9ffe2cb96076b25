import Gzip
import NIOCore
import Synchronization

/// The bytes of a body, and what gzip makes of them once somebody wants it.
///
/// Whoever is being sent the bytes holds this as long, so that others can be given the same, and what is in
/// memory is known.
final class HeldBody: Sendable {
  /// Shorter bodies gain nothing.
  static let leastCodedByteCount = 1024

  private struct State {
    /// What is coded already; nil where nobody asked yet.
    var coded: ByteBuffer?
    /// Where the bytes are counted, and how many of them; nil where they are not.
    var counter: (total: HeldBytes, share: Int)?
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

  var isWorthCoding: Bool { byteCount >= Self.leastCodedByteCount }

  /// Counts the bytes from now until nobody holds them any more.
  func count(on total: HeldBytes) {
    state.withLock { state in
      guard state.counter == nil else { return }
      let share = byteCount + (state.coded?.readableBytes ?? 0)
      state.counter = (total, share)
      total.add(share)
    }
  }

  func gzip() -> ByteBuffer {
    if let held = state.withLock({ $0.coded }) { return held }
    let compressor = GzipCompressor()
    let result = ByteBuffer(
      bytes: compressor.compress(Array(bytes.readableBytesView)) + compressor.finish())
    return state.withLock { state in
      // Two may have packed the same at once.
      if let held = state.coded { return held }
      state.coded = result
      state.counter?.share += result.readableBytes
      state.counter?.total.add(result.readableBytes)
      return result
    }
  }
}
