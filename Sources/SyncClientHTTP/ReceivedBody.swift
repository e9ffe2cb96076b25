import Gzip
import SyncClient

/// The body of an answer, uncompressed chunk by chunk and refused as soon as it is too long.
struct ReceivedBody {
  private let byteLimit: Int
  /// The decompressor; nil for a body that is not compressed.
  private let decompressor: GzipDecompressor?
  private var hasBegun = false
  private var bytes: [UInt8] = []

  /// - Parameter coding: the value of `Content-Encoding`; empty if there is none.
  /// - Throws: `Unavailability` for a coding that was not requested.
  init(coding: String, byteLimit: Int) throws {
    self.byteLimit = byteLimit
    switch coding.lowercased() {
    case "", "identity": decompressor = nil
    case "gzip", "x-gzip": decompressor = GzipDecompressor(byteLimit: byteLimit)
    default:
      throw Unavailability.network(reason: "the answer is coded as '\(coding)', not as asked")
    }
  }

  /// - Throws: `ReplicaError.answerTooLong`; `Unavailability` for invalid gzip.
  mutating func append(_ chunk: [UInt8]) throws {
    guard let decompressor else {
      guard chunk.count <= byteLimit - bytes.count else {
        throw ReplicaError.answerTooLong(byteLimit: byteLimit)
      }
      bytes += chunk
      return
    }
    hasBegun = hasBegun || !chunk.isEmpty
    do {
      decompressor.feed(chunk)
      while let piece = try decompressor.next() { bytes += piece }
    } catch {
      throw refusal(error)
    }
  }

  /// The whole body. An empty body is valid with any coding.
  ///
  /// - Throws: `Unavailability` for truncated gzip.
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
