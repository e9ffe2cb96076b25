import Hashing
import ListModel

/// The proof of a list before roots: the sum modulo 2^128 of a hash of each item and the id before
/// it. It stopped accidents, and no forger.
enum FormerChecksum {
  static func sum(of items: [Item]) -> UInt128 {
    zip(items, [nil] + items.dropLast().map(\.id)).reduce(0) { sum, pair in
      let words = term(of: pair.0.id, pair.0.content.bytes, after: pair.1)
      return sum &+ (UInt128(words.high) << 64 | UInt128(words.low))
    }
  }

  static func term(of id: ItemID, _ content: [UInt8], after before: ItemID?) -> Forger.Words {
    var bytes: [UInt8] = []
    if let before { bytes.append(sized: before) } else { bytes += [0xFF, 0xFF, 0xFF, 0xFF] }
    bytes.append(sized: id)
    bytes += content
    return SHA256.digest(of: bytes).bytes.withUnsafeBytes { digest in
      let low = UInt64(littleEndian: digest.loadUnaligned(as: UInt64.self))
      let high = UInt64(littleEndian: digest.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      return (high, low)
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(sized id: ItemID) {
    let count = UInt32(id.text.utf8.count).littleEndian
    Swift.withUnsafeBytes(of: count) { append(contentsOf: $0) }
    append(contentsOf: id.text.utf8)
  }
}
