import Hashing

/// The SHA-256 of an item or of a group of items, without a memory allocation of its own.
package struct TreeHash: Hashable, Sendable {
  static let byteCount = SHA256.Digest.byteCount

  private let digest: SHA256.Digest

  fileprivate init(_ digest: SHA256.Digest) { self.digest = digest }

  /// Nil unless there are 32 bytes.
  package init?(bytes: some Collection<UInt8>) {
    guard let digest = SHA256.Digest(bytes: bytes) else { return nil }
    self.digest = digest
  }

  package var bytes: [UInt8] { digest.bytes }

  /// Whether a group ends after an element with this hash: one of 32 hashes does that.
  var endsGroup: Bool { digest.prefix >> 56 & 31 == 0 }

  /// The hash of a group of the tree.
  init(ofGroup hashes: some Sequence<TreeHash>, level: Int, itemCount: Int) {
    digest = withUnsafeTemporaryAllocation(
      byteCount: 9 + 256 * Self.byteCount, alignment: 8
    ) { bytes in
      bytes[0] = UInt8(level)
      bytes.storeBytes(
        of: UInt64(itemCount).littleEndian, toByteOffset: 1, as: UInt64.self)
      var end = 9
      for hash in hashes {
        bytes.storeBytes(of: hash, toByteOffset: end, as: TreeHash.self)
        end += Self.byteCount
      }
      return SHA256.digest(of: UnsafeRawBufferPointer(rebasing: bytes[..<end]))
    }
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
    return TreeHash(SHA256.digest(of: scratch))
  }
}
