import Crypto

/// The SHA-256 of an item or of a group of items, without a memory allocation of its own.
package struct TreeHash: Hashable, Sendable {
  static let byteCount = 32

  /// The bytes as they lie in memory.
  private let a, b, c, d: UInt64

  /// - Precondition: There are at least 32 bytes.
  private init(_ bytes: UnsafeRawBufferPointer) {
    a = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
    b = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    c = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
    d = bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
  }

  fileprivate init(_ digest: SHA256.Digest) { self = digest.withUnsafeBytes { TreeHash($0) } }

  /// Nil unless there are 32 bytes.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    let hash = bytes.withContiguousStorageIfAvailable { TreeHash(UnsafeRawBufferPointer($0)) }
    self = hash ?? Array(bytes).withUnsafeBytes { TreeHash($0) }
  }

  package var bytes: [UInt8] { withUnsafeBytes(of: self, Array.init) }

  /// Whether a group ends after an element with this hash: one of 32 hashes does that.
  var endsGroup: Bool { withUnsafeBytes(of: a) { $0[0] & 31 == 0 } }

  /// The hash of a group of the tree.
  init(ofGroup hashes: some Sequence<TreeHash>, level: Int, itemCount: Int) {
    var hash = SHA256()
    withUnsafeTemporaryAllocation(byteCount: 9 + 256 * Self.byteCount, alignment: 8) { bytes in
      bytes[0] = UInt8(level)
      bytes.storeBytes(
        of: UInt64(itemCount).littleEndian, toByteOffset: 1, as: UInt64.self)
      var end = 9
      for hash in hashes {
        bytes.storeBytes(of: hash, toByteOffset: end, as: TreeHash.self)
        end += Self.byteCount
      }
      hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: bytes[..<end]))
    }
    self.init(hash.finalize())
  }
}

/// Hashes items, one after the other.
package struct ItemHasher {
  private var scratch: [UInt8] = []

  package init() {}

  package mutating func hash(_ item: Item) -> TreeHash {
    scratch.removeAll(keepingCapacity: true)
    scratch.append(0)
    withUnsafeBytes(of: UInt32(item.id.text.utf8.count).littleEndian) {
      scratch.append(contentsOf: $0)
    }
    scratch.append(contentsOf: item.id.text.utf8)
    scratch.append(item.content.bytes.indices, of: item.content.bytes)
    var hash = SHA256()
    scratch.withUnsafeBytes { hash.update(bufferPointer: $0) }
    return TreeHash(hash.finalize())
  }
}
