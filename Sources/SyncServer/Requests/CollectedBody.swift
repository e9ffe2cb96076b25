import Gzip
import ListDocuments
import NIOCore

/// The bytes of a body as they come in, unpacked where they are coded, and never more than allowed.
struct CollectedBody {
  /// The bytes of a longer body are counted. A short body is always taken, so slow senders cannot
  /// lock writers out.
  static let shortByteCount = 1 << 16

  private let byteLimit: Int
  /// Nil where nothing is packed.
  private let decompressor: GzipDecompressor?
  private let share: BodyMemory.Share
  private var bytes: [UInt8] = []
  /// How many bytes came, as they were sent.
  private var sentByteCount = 0
  /// How many of the bytes are counted.
  private var countedByteCount = 0

  init(byteLimit: Int, isCoded: Bool, share: BodyMemory.Share) {
    self.byteLimit = byteLimit
    self.share = share
    decompressor = isCoded ? GzipDecompressor(byteLimit: byteLimit) : nil
  }

  /// - Throws: `Problem` of type `too-large`, `invalid-request` or `busy`.
  mutating func add(_ chunk: ByteBufferView) throws(Problem) {
    sentByteCount += chunk.count
    try Self.check(sentByteCount, byteLimit)
    guard let decompressor else {
      try append(chunk)
      return
    }
    decompressor.feed(Array(chunk))
    while let piece = try Problem.wrapping({ () throws(GzipError) in try decompressor.next() }) {
      try append(piece)
    }
  }

  /// - Throws: `Problem` of type `invalid-request` when the body ends early.
  consuming func finish(length: Int?) throws(Problem) -> [UInt8] {
    guard length ?? sentByteCount == sentByteCount else { throw .cutOff }
    if let decompressor {
      try Problem.wrapping { () throws(GzipError) in try decompressor.finish() }
    }
    return bytes
  }

  /// - Throws: `Problem` of type `too-large` when a body may not have so many bytes.
  static func check(_ byteCount: Int, _ byteLimit: Int) throws(Problem) {
    guard byteCount <= byteLimit else {
      throw Problem(
        kind: .tooLarge, detail: "the body has more than \(byteLimit) bytes",
        members: Problem.Members(limit: ("body-bytes", byteLimit)))
    }
  }

  private mutating func append(_ piece: some Collection<UInt8>) throws(Problem) {
    bytes += piece
    if bytes.count > Self.shortByteCount {
      try share.take(bytes.count - countedByteCount)
      countedByteCount = bytes.count
    }
  }
}

extension Problem {
  fileprivate static func wrapping<Result>(
    _ body: () throws(GzipError) -> Result
  ) throws(Problem) -> Result {
    do {
      return try body()
    } catch {
      throw Problem(error)
    }
  }
}
