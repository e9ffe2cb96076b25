import Gzip
import SyncClient

/// The body of an answer as it comes: unpacked chunk by chunk, and refused as soon as it is longer
/// than allowed.
struct ReceivedBody {
  private let byteLimit: Int
  /// Nil where nothing is packed.
  private let decompressor: GzipDecompressor?
  private var hasBegun = false
  private var bytes: [UInt8] = []

  /// - Parameter coding: the value of `Content-Encoding`; empty where there is none.
  /// - Throws: `Unavailability` for a coding that was not asked for.
  init(coding: String, byteLimit: Int) throws {
    self.byteLimit = byteLimit
    switch coding.lowercased() {
    case "", "identity": decompressor = nil
    case "gzip", "x-gzip": decompressor = GzipDecompressor(byteLimit: byteLimit)
    default:
      throw Unavailability.network(reason: "the answer is coded as '\(coding)', not as asked")
    }
  }

  /// - Throws: `ReplicaError.answerTooLong`; `Unavailability` for what is not gzip.
  mutating func take(_ chunk: [UInt8]) throws {
    guard let decompressor else { return try append(chunk) }
    hasBegun = hasBegun || !chunk.isEmpty
    do {
      decompressor.feed(chunk)
      while let piece = try decompressor.next() { bytes += piece }
    } catch {
      throw refusal(error)
    }
  }

  private mutating func append(_ chunk: [UInt8]) throws {
    guard chunk.count <= byteLimit - bytes.count else {
      throw ReplicaError.answerTooLong(byteLimit: byteLimit)
    }
    bytes += chunk
  }

  /// The whole body. One without any byte is not packed, whatever its coding is.
  ///
  /// - Throws: `Unavailability` for gzip that is cut off.
  func finish() throws -> [UInt8] {
    do {
      if hasBegun { try decompressor?.finish() }
    } catch {
      throw refusal(error)
    }
    return bytes
  }

  private func refusal(_ error: GzipError) -> any Error {
    if case .tooLarge = error { return ReplicaError.answerTooLong(byteLimit: byteLimit) }
    return Unavailability.network(reason: "the packed answer is damaged: \(error)")
  }
}
