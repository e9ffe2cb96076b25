import Hashing

/// The SHA-256 that proves a history: each chain covers the chain before, and so every version up
/// to its own.
///
///     chain(0) = 32 zero bytes
///     chain(N) = SHA-256( "list-chain/2" chain(N-1) N time author message root )
///
/// Numbers are 8 bytes, little-endian; time is milliseconds since 1970; an author or message is its
/// byte count and its bytes, and an absent one the count 2⁶⁴-1. The step is not covered: two roots
/// have exactly one canonical change set. So the headers of versions alone prove a history. The
/// chain does not depend on a store's row numbers: every store computes the same one for the same
/// history.
public struct Chain: Hashable, Sendable, CustomStringConvertible {
  public static let byteCount = 32
  /// The chain of version 0, of every list.
  public static let zero = Chain(unchecked: Array(repeating: 0, count: byteCount))

  public let bytes: [UInt8]

  /// Nil unless there are 32 bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

  /// Reads the written form; nil unless the text is 64 hex digits.
  public init?(_ text: String) {
    guard let bytes = Hex.decode(text) else { return nil }
    self.init(bytes: bytes)
  }

  public var hex: String { Hex.encode(bytes) }
  public var description: String { hex }

  /// The chain of the next version.
  public func extended(to version: Version, root: Root, note: CommitNote) -> Chain {
    var message: [UInt8] = Array("list-chain/2".utf8) + bytes
    message.append(number: version.number)
    message.append(number: Int(note.time.millisecondsSince1970))
    message.append(text: note.author)
    message.append(text: note.message)
    message += root.bytes
    return Chain(unchecked: SHA256.digest(of: message).bytes)
  }
}

extension [UInt8] {
  fileprivate mutating func append(number: Int) {
    let bytes = UInt64(bitPattern: Int64(number)).littleEndian
    Swift.withUnsafeBytes(of: bytes) { append(contentsOf: $0) }
  }

  fileprivate mutating func append(text: String?) {
    append(number: text?.utf8.count ?? -1)
    append(contentsOf: (text ?? "").utf8)
  }
}
