import Crypto
import ListChanges

/// The SHA-256 that proves a history. It covers the previous chain, the step, the checksum after
/// the step, and the commit's author, time and message.
///
///     chain(0) = 32 zero bytes
///     chain(N) = SHA-256( "list-chain/1" chain(N-1) N time author message
///                         oldCount newCount removed moved inserted updated checksum )
///
///     removed  = count { from id }            inserted = count { to id content }
///     moved    = count { from to id }         updated  = count { from to id content }
///
/// Numbers are 8 bytes, little-endian; time is milliseconds since 1970; a text (id, content,
/// author, message) is its byte count and its bytes, and an absent author or message the count
/// 2⁶⁴-1. It does not depend on a store's row numbers: every store computes the same chain for the
/// same history.
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

  /// The chain of the version after a step.
  ///
  /// - Precondition: Every move of the step has its id.
  /// - Complexity: O(bytes of the step).
  public func extended(
    by step: ChangeSet<Item>, to version: Version, checksum: Checksum, note: CommitNote
  ) -> Chain {
    var digest = DigestWriter()
    digest.write(bytes: "list-chain/1".utf8)
    digest.write(bytes: bytes)
    digest.write(version.number)
    digest.write(Int(note.time.millisecondsSince1970))
    digest.write(optional: note.author)
    digest.write(optional: note.message)
    digest.write(step)
    digest.write(bytes: checksum.bytes)
    return Chain(unchecked: digest.finish())
  }
}

/// Feeds SHA-256 in large pieces; a call for every number would cost more than the hashing.
private struct DigestWriter {
  private var hash = SHA256()
  private var buffer: [UInt8] = []
  private static let flushByteCount = 1 << 16

  mutating func write(bytes: some Collection<UInt8>) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.flushByteCount { flush() }
  }

  mutating func write(_ number: Int) {
    withUnsafeBytes(of: UInt64(bitPattern: Int64(number)).littleEndian) {
      buffer.append(contentsOf: $0)
    }
  }

  mutating func write(text: some Collection<UInt8>) {
    write(text.count)
    write(bytes: text)
  }

  mutating func write(optional text: String?) {
    if let text { write(text: text.utf8) } else { write(-1) }
  }

  mutating func write(_ step: ChangeSet<Item>) {
    write(step.oldCount)
    write(step.newCount)
    write(step.removed.count)
    for removal in step.removed {
      write(removal.from)
      write(text: removal.element.id.text.utf8)
    }
    write(step.moved.count)
    for move in step.moved {
      guard let id = move.id else { preconditionFailure("a step names the items it moves") }
      write(move.from)
      write(move.to)
      write(text: id.text.utf8)
    }
    write(step.inserted.count)
    for insertion in step.inserted {
      write(insertion.to)
      write(insertion.element)
    }
    write(step.updated.count)
    for update in step.updated {
      write(update.from)
      write(update.to)
      write(update.new)
    }
  }

  private mutating func write(_ item: Item) {
    write(text: item.id.text.utf8)
    write(text: item.content.bytes)
  }

  private mutating func flush() {
    hash.update(data: buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  mutating func finish() -> [UInt8] {
    flush()
    return Array(hash.finalize())
  }
}
