import Crypto

/// 128 bits that prove a copy of a snapshot: same items, same order, same content.
///
/// The sum modulo 2¹²⁸, over all items, of the first 16 bytes (little-endian) of
///
///     SHA-256( length and bytes of the id of the item before, or FFFFFFFF for none
///              length and bytes of the id
///              bytes of the canonical content )
///
/// with lengths in 4 bytes, little-endian. Order counts, since every term contains its
/// predecessor's id. A change affects only the terms at its edges, so the checksum is updated in
/// O(d) for d changes: subtract the old terms, add the new ones.
public struct Checksum: Hashable, Sendable, CustomStringConvertible {
  /// The checksum of the empty list.
  public static let zero = Checksum(high: 0, low: 0)

  public private(set) var high: UInt64
  public private(set) var low: UInt64

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// - Complexity: O(n) for n items, a SHA-256 for each, on all cores.
  public init(of snapshot: Snapshot) { self.init(of: snapshot, itemsPerSum: 1 << 13) }

  /// - Parameter itemsPerSum: the number of items in a partial sum.
  package init(of snapshot: Snapshot, itemsPerSum: Int) {
    let items = snapshot.items
    let sums = concurrentMap(count: (items.count + itemsPerSum - 1) / itemsPerSum) { number in
      Self.sum(of: items, number * itemsPerSum..<min(items.count, (number + 1) * itemsPerSum))
    }
    self = .zero
    for sum in sums { add(sum) }
  }

  private static func sum(of items: [Item], _ range: Range<Int>) -> Checksum {
    var sum = Checksum.zero
    var previous = range.lowerBound == 0 ? nil : items[range.lowerBound - 1].id
    var scratch: [UInt8] = []
    for item in items[range] {
      sum.add(term(of: item, after: previous, scratch: &scratch))
      previous = item.id
    }
    return sum
  }

  /// The term of an item in the checksum of a list, given the id before it.
  public static func term(of item: Item, after previous: ItemID?) -> Checksum {
    var scratch: [UInt8] = []
    return term(of: item, after: previous, scratch: &scratch)
  }

  private static func term(
    of item: Item, after previous: ItemID?, scratch: inout [UInt8]
  ) -> Checksum {
    scratch.removeAll(keepingCapacity: true)
    if let previous { append(previous, to: &scratch) } else { append(UInt32.max, to: &scratch) }
    append(item.id, to: &scratch)
    scratch.append(contentsOf: item.content.bytes)
    return SHA256.hash(data: scratch).withUnsafeBytes { Checksum(littleEndian: $0) }
  }

  private static func append(_ id: ItemID, to bytes: inout [UInt8]) {
    append(UInt32(id.text.utf8.count), to: &bytes)
    bytes.append(contentsOf: id.text.utf8)
  }

  private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  public mutating func add(_ term: Checksum) {
    let sum = low.addingReportingOverflow(term.low)
    low = sum.partialValue
    high = high &+ term.high &+ (sum.overflow ? 1 : 0)
  }

  public mutating func subtract(_ term: Checksum) {
    let difference = low.subtractingReportingOverflow(term.low)
    low = difference.partialValue
    high = high &- term.high &- (difference.overflow ? 1 : 0)
  }
}

extension Checksum {
  /// 16 bytes, little-endian: the stored form.
  public var bytes: [UInt8] {
    withUnsafeBytes(of: low.littleEndian, Array.init)
      + withUnsafeBytes(of: high.littleEndian, Array.init)
  }

  /// Nil unless there are 16 bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self = bytes.withUnsafeBytes { Checksum(littleEndian: $0) }
  }

  /// - Precondition: There are at least 16 bytes.
  private init(littleEndian bytes: UnsafeRawBufferPointer) {
    low = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
    high = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  /// 32 lower-case hex digits of the stored form: the written form.
  public var description: String { Hex.encode(bytes) }

  /// Reads the written form; nil unless the text is 32 hex digits.
  public init?(_ text: String) {
    guard let bytes = Hex.decode(text) else { return nil }
    self.init(bytes: bytes)
  }
}
